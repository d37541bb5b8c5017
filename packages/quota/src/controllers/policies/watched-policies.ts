import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import {
  type AnyPolicy,
  type IndexedPolicy,
  PolicyIndex,
  type PolicyRules,
  type ReadyPolicy,
} from "../../core/policy/policy-index.ts";
import type { GroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { Running } from "../runtime.ts";
import { RegistrationIndex } from "../views/registration-index.ts";
import type { Views } from "../views/views.ts";

/** Which policy: they are in no namespace. */
export interface PolicyPlace {
  readonly plane: string;
  readonly name: string;
}

export interface WatchedPoliciesOptions<Policy, Compiled> {
  readonly root: string;
  readonly policies: Informer<Policy, Policy>;
  readonly registrations: Views["registrations"];
  readonly rules: (view: RegistrationView) => PolicyRules<Policy, Compiled>;
}

/** Policies of a kind as they are now, judged by the registrations there are now. */
export class WatchedPolicies<Policy extends AnyPolicy, Compiled> implements Running {
  readonly #index: PolicyIndex<Policy, Compiled>;
  readonly #registrations: RegistrationIndex;
  readonly #listeners = new Set<(place: PolicyPlace) => void>();
  readonly #unsubscribe: readonly (() => void)[];
  #isReady = false;
  /** Resolves when all policies and all registrations are known: before, nothing here means anything. */
  readonly ready: Promise<void>;

  constructor({ root, policies, registrations, rules }: WatchedPoliciesOptions<Policy, Compiled>) {
    this.#registrations = new RegistrationIndex(registrations);
    this.#index = new PolicyIndex(root, rules(this.#registrations));
    this.#unsubscribe = [
      policies.subscribe({
        added: ({ plane }, now) => this.#put(plane, now),
        changed: ({ plane }, _, now) => this.#put(plane, now),
        removed: ({ plane, name }) => this.#remove({ plane, name }),
      }),
      this.#registrations.onChange((resourceType) => this.#rejudge(resourceType)),
      this.#registrations.stop,
    ];
    this.ready = Promise.all([policies.ready, registrations.ready]).then(() => this.#begin());
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** The policies at work that are about objects of a kind in a plane. */
  policiesFor(kind: GroupKind, plane: string): readonly ReadyPolicy<Policy, Compiled>[] {
    return this.#index.policiesFor(kind, plane);
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

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#listeners.clear();
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
