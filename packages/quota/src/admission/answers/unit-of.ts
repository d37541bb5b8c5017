import type { Unit } from "../../core/resources/fields/units.ts";
import { activeRegistration, type RegistrationView } from "../../core/resources/rules/registration-rules.ts";

/** How amounts of a resource type are shown; plainly, while nobody has registered it. */
export function unitOf(registrations: RegistrationView, resourceType: string): Unit {
  const registration = activeRegistration(registrations, resourceType);
  return registration?.unit ?? { baseUnit: "unit", displayUnit: "unit", factor: 1n };
}
