import { isPending, type ResourceRegistration } from "../../core/resources/resource-registration.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";

/**
 * Registrations that nobody has looked at yet, taken as Active. Of manifests that are applied together some come before
 * the others have been looked at, and nobody needs to be warned of what is true for a moment.
 */
export function withAwaited(view: RegistrationView): RegistrationView {
  return { byResourceType: (resourceType) => view.byResourceType(resourceType).map(awaited) };
}

function awaited(registration: ResourceRegistration): ResourceRegistration {
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
