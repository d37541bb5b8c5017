import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { ResourceRegistration } from "../core/resources/resource-registration.ts";
import type { RegistrationView } from "../core/resources/rules/registration-rules.ts";

/** Registrations by resource type. */
export class RegistrationIndex implements RegistrationView {
  readonly #byType = new Map<string, Map<string, ResourceRegistration>>();
  readonly #listeners = new Set<(resourceType: string) => void>();
  /** Resolves when the informer has synced. */
  readonly ready: Promise<void>;

  constructor(registrations: Informer<ResourceRegistration, ResourceRegistration>) {
    this.ready = registrations.synced;
    registrations.subscribe({
      onAdd: (_, now) => this.#put(now),
      onUpdate: (_, before, now) => {
        if (before.resourceType !== now.resourceType) this.#drop(before);
        this.#put(now);
      },
      onDelete: (_, before) => this.#drop(before),
    });
  }

  byResourceType(resourceType: string): readonly ResourceRegistration[] {
    return [...(this.#byType.get(resourceType)?.values() ?? [])];
  }

  resourceTypes(): Iterable<string> {
    return this.#byType.keys();
  }

  /** Calls for every resource type whose registrations change, until the returned function is called. */
  onChange(listener: (resourceType: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #put(registration: ResourceRegistration): void {
    const { resourceType, metadata } = registration;
    const own = this.#byType.get(resourceType) ?? new Map<string, ResourceRegistration>();
    own.set(metadata.name ?? "", registration);
    this.#byType.set(resourceType, own);
    this.#notify(resourceType);
  }

  #drop({ resourceType, metadata }: ResourceRegistration): void {
    const own = this.#byType.get(resourceType);
    own?.delete(metadata.name ?? "");
    if (own?.size === 0) this.#byType.delete(resourceType);
    this.#notify(resourceType);
  }

  #notify(resourceType: string): void {
    for (const listener of this.#listeners) listener(resourceType);
  }
}
