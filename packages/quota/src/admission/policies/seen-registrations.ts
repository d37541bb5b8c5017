import type { ResourceRegistration } from "../../core/resources/resource-registration.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";

/** Registrations by the resource type they name. */
export class SeenRegistrations implements RegistrationView {
  readonly #byType = new Map<string, Map<string, ResourceRegistration>>();

  byResourceType(resourceType: string): readonly ResourceRegistration[] {
    return [...(this.#byType.get(resourceType)?.values() ?? [])];
  }

  add(registration: ResourceRegistration): void {
    const { resourceType, metadata } = registration;
    const own = this.#byType.get(resourceType) ?? new Map<string, ResourceRegistration>();
    own.set(metadata.name ?? "", registration);
    this.#byType.set(resourceType, own);
  }

  remove({ resourceType, metadata }: ResourceRegistration): void {
    const own = this.#byType.get(resourceType);
    own?.delete(metadata.name ?? "");
    if (own?.size === 0) this.#byType.delete(resourceType);
  }
}
