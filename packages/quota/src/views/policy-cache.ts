import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import {
  type AnyPolicy,
  type DecidingPolicy,
  type IndexedPolicy,
  PolicyIndex,
  type PolicyRules,
} from "../core/policy/policy-index.ts";
import type { GroupKind } from "../core/resources/fields/consumer-ref.ts";
import type { RegistrationIndex } from "./registration-index.ts";

/** Policies are cluster-scoped. */
export interface PolicyKey {
  readonly plane: string;
  readonly name: string;
}

export interface PolicyCacheOptions<Policy, Compiled> {
  readonly root: string;
  readonly policies: Informer<Policy, Policy>;
  readonly registrations: RegistrationIndex;
  readonly rules: PolicyRules<Policy, Compiled>;
}

/** The policies of a kind, compiled and validated against the current registrations. */
export class PolicyCache<Policy extends AnyPolicy, Compiled> {
  readonly #index: PolicyIndex<Policy, Compiled>;
  readonly #listeners = new Set<(key: PolicyKey) => void>();
  #isReady = false;
  /** Resolves when policies and registrations have synced: until then verdicts are meaningless. */
  readonly ready: Promise<void>;

  constructor({ root, policies, registrations, rules }: PolicyCacheOptions<Policy, Compiled>) {
    this.#index = new PolicyIndex(root, rules);
    policies.subscribe({
      onAdd: ({ plane }, now) => this.#put(plane, now),
      onUpdate: ({ plane }, _, now) => this.#put(plane, now),
      onDelete: ({ plane, name }) => this.#remove({ plane, name }),
    });
    registrations.onChange((resourceType) => this.#revalidate(resourceType));
    this.ready = Promise.all([policies.synced, registrations.ready]).then(() => this.#onSynced());
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** The ready policies for objects of a kind in a control plane. */
  policiesFor(kind: GroupKind, plane: string): readonly DecidingPolicy<Policy, Compiled>[] {
    return this.#index.policiesFor(kind, plane);
  }

  /** The disabled policies for objects of a kind in a control plane. */
  disabledFor(kind: GroupKind, plane: string): readonly IndexedPolicy<Policy, Compiled>[] {
    return this.#index.disabledFor(kind, plane);
  }

  /** The number of ready policies. */
  get decidingCount(): number {
    return this.#index.decidingCount;
  }

  kinds(): readonly GroupKind[] {
    return this.#index.kinds();
  }

  get({ plane, name }: PolicyKey): IndexedPolicy<Policy, Compiled> | undefined {
    return this.#index.get(plane, name);
  }

  entries(): Iterable<IndexedPolicy<Policy, Compiled>> {
    return this.#index.entries();
  }

  /** Once synced, calls for every added, changed or deleted policy, until the returned function is called. */
  onChange(listener: (key: PolicyKey) => void): () => void {
    this.#listeners.add(listener);
    if (this.#isReady) for (const { plane, policy } of this.entries()) listener(keyOf(plane, policy));
    return () => this.#listeners.delete(listener);
  }

  #onSynced(): void {
    this.#isReady = true;
    const all = [...this.entries()];
    for (const { plane, policy } of all) this.#index.put(plane, policy);
    for (const { plane, policy } of all) this.#notify(keyOf(plane, policy));
  }

  #put(plane: string, policy: Policy): void {
    this.#index.put(plane, policy);
    this.#notify(keyOf(plane, policy));
  }

  #remove(key: PolicyKey): void {
    this.#index.remove(key.plane, key.name);
    this.#notify(key);
  }

  #revalidate(resourceType: string): void {
    if (!this.#isReady) return;
    for (const { plane, policy } of this.#index.revalidate(resourceType)) this.#notify(keyOf(plane, policy));
  }

  #notify(key: PolicyKey): void {
    if (this.#isReady) for (const listener of this.#listeners) listener(key);
  }
}

function keyOf(plane: string, { metadata }: AnyPolicy): PolicyKey {
  return { plane, name: metadata.name ?? "" };
}
