import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import {
  type AnyPolicy,
  type IndexedPolicy,
  PolicyIndex,
  type PolicyRules,
  type ReadyPolicy,
} from "../core/policy/policy-index.ts";
import type { GroupKind } from "../core/resources/fields/consumer-ref.ts";
import type { RegistrationIndex } from "./registration-index.ts";

/** Which policy: they are in no namespace. */
export interface PolicyPlace {
  readonly plane: string;
  readonly name: string;
}

export interface WatchedPoliciesOptions<Policy, Compiled> {
  readonly root: string;
  readonly policies: Informer<Policy, Policy>;
  readonly registrations: RegistrationIndex;
  readonly rules: PolicyRules<Policy, Compiled>;
}

/** Policies of a kind as they are now, judged by the registrations there are now. */
export class WatchedPolicies<Policy extends AnyPolicy, Compiled> {
  readonly #index: PolicyIndex<Policy, Compiled>;
  readonly #listeners = new Set<(place: PolicyPlace) => void>();
  #isReady = false;
  /** Resolves when all policies and all registrations are known: before, nothing here means anything. */
  readonly ready: Promise<void>;

  constructor({ root, policies, registrations, rules }: WatchedPoliciesOptions<Policy, Compiled>) {
    this.#index = new PolicyIndex(root, rules);
    policies.subscribe({
      added: ({ plane }, now) => this.#put(plane, now),
      changed: ({ plane }, _, now) => this.#put(plane, now),
      removed: ({ plane, name }) => this.#remove({ plane, name }),
    });
    registrations.onChange((resourceType) => this.#rejudge(resourceType));
    this.ready = Promise.all([policies.ready, registrations.ready]).then(() => this.#begin());
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** The policies at work that are about objects of a kind in a plane. */
  policiesFor(kind: GroupKind, plane: string): readonly ReadyPolicy<Policy, Compiled>[] {
    return this.#index.policiesFor(kind, plane);
  }

  /** Policies about objects of a kind in a plane that are switched off. */
  disabledFor(kind: GroupKind, plane: string): readonly IndexedPolicy<Policy, Compiled>[] {
    return this.#index.disabledFor(kind, plane);
  }

  /** How many policies are at work. */
  get readyCount(): number {
    return this.#index.readyCount;
  }

  kinds(): readonly GroupKind[] {
    return this.#index.kinds();
  }

  get({ plane, name }: PolicyPlace): IndexedPolicy<Policy, Compiled> | undefined {
    return this.#index.get(plane, name);
  }

  entries(): Iterable<IndexedPolicy<Policy, Compiled>> {
    return this.#index.entries();
  }

  /** Calls, once everything is known, for every policy that comes, changes or goes, until the returned function is called. */
  onChange(listener: (place: PolicyPlace) => void): () => void {
    this.#listeners.add(listener);
    if (this.#isReady) for (const { plane, policy } of this.entries()) listener(placeOf(plane, policy));
    return () => this.#listeners.delete(listener);
  }

  #begin(): void {
    this.#isReady = true;
    const all = [...this.entries()];
    for (const { plane, policy } of all) this.#index.put(plane, policy);
    for (const { plane, policy } of all) this.#tell(placeOf(plane, policy));
  }

  #put(plane: string, policy: Policy): void {
    this.#index.put(plane, policy);
    this.#tell(placeOf(plane, policy));
  }

  #remove(place: PolicyPlace): void {
    this.#index.remove(place.plane, place.name);
    this.#tell(place);
  }

  #rejudge(resourceType: string): void {
    if (!this.#isReady) return;
    for (const { plane, policy } of this.#index.rejudge(resourceType)) this.#tell(placeOf(plane, policy));
  }

  #tell(place: PolicyPlace): void {
    if (this.#isReady) for (const listener of this.#listeners) listener(place);
  }
}

function placeOf(plane: string, { metadata }: AnyPolicy): PolicyPlace {
  return { plane, name: metadata.name ?? "" };
}
