import { isPending, type ResourceRegistration } from "../../core/resources/resource-registration.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";

/**
 * Treats registrations that are not validated yet as Active. When manifests are applied together, grants and policies arrive
 * before the controller has validated the registrations, and a warning would be outdated within moments.
 */
export function withPendingAsActive(view: RegistrationView): RegistrationView {
  return { byResourceType: (resourceType) => view.byResourceType(resourceType).map(asActive) };
}

function asActive(registration: ResourceRegistration): ResourceRegistration {
  if (!isPending(registration)) return registration;
  const { conditions = [] } = registration.status;
  const active = {
    type: "Active",
    status: "True" as const,
    reason: "RegistrationActive",
    message: "",
    lastTransitionTime: registration.metadata.creationTimestamp ?? "",
  };
  const others = conditions.filter(({ type }) => type !== active.type);
  return { ...registration, status: { ...registration.status, conditions: [...others, active] } };
}
