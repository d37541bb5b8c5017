import type { Unit } from "../../core/resources/fields/units.ts";
import { activeRegistration, type RegistrationView } from "../../core/resources/rules/registration-rules.ts";

/** The unit in which amounts of a resource type are shown; a plain number when it has no active registration. */
export function unitOf(registrations: RegistrationView, resourceType: string): Unit {
  const registration = activeRegistration(registrations, resourceType);
  return registration?.unit ?? { baseUnit: "unit", displayUnit: "unit", factor: 1n };
}
