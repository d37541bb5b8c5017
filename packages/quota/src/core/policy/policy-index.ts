import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type ObjectMeta, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import { type GroupKind, groupKindText } from "../resources/fields/consumer-ref.ts";
import type { PolicyTrigger } from "../resources/fields/policy-trigger.ts";

/** What policies of both kinds have. */
export interface AnyPolicy {
  readonly metadata: ObjectMeta;
  readonly enabled: boolean;
  readonly trigger: PolicyTrigger;
  readonly status: Pick<ClaimCreationPolicy["status"], "conditions">;
}

/** By what it is judged whether a policy of some kind can work. */
export interface PolicyRules<Policy, Compiled> {
  compile(
    policy: Policy,
  ): { readonly ok: true; readonly policy: Compiled } | { readonly ok: false; readonly issues: readonly FieldIssue[] };
  /** What keeps a policy in this plane from working that is in other objects. */
  issues(policy: Policy, plane: string): readonly FieldIssue[];
  /** The resource types whose registrations it depends on. */
  resourceTypes(policy: Policy): readonly string[];
}

/** Whether a policy is at work. */
export type PolicyVerdict<Compiled> =
  | { readonly state: "ready"; readonly compiled: Compiled }
  /** Switched off; it may have issues all the same. */
  | { readonly state: "disabled"; readonly issues: readonly FieldIssue[] }
  | { readonly state: "invalid"; readonly issues: readonly FieldIssue[] };

/** A policy, where it is, and what has become of it. */
export interface IndexedPolicy<Policy, Compiled> {
  readonly plane: string;
  readonly policy: Policy;
  readonly kind: GroupKind;
  readonly verdict: PolicyVerdict<Compiled>;
  /** Since when its status says that it is at work; undefined as long as that is not stored. */
  readonly readySince: string | undefined;
}

export type ReadyPolicy<Policy, Compiled> = Omit<IndexedPolicy<Policy, Compiled>, "verdict"> & {
  readonly compiled: Compiled;
};

interface Entry<Policy, Compiled> extends IndexedPolicy<Policy, Compiled> {
  readonly compilation: ReturnType<PolicyRules<Policy, Compiled>["compile"]>;
}

/**
 * Policies by the kind they are about. Each is compiled once for every change to it. Told of policies by whoever watches
 * them; whether they can work it finds out itself, and does not take from their status.
 */
export class PolicyIndex<Policy extends AnyPolicy, Compiled> {
  readonly #root: string;
  readonly #rules: PolicyRules<Policy, Compiled>;
  readonly #entries = new Map<string, Entry<Policy, Compiled>>();
  /** Those at work, by kind. */
  readonly #ready = new Map<string, Map<string, ReadyPolicy<Policy, Compiled>>>();
  /** Those that are switched off, by kind. */
  readonly #disabled = new Map<string, Map<string, IndexedPolicy<Policy, Compiled>>>();

  constructor(root: string, rules: PolicyRules<Policy, Compiled>) {
    this.#root = root;
    this.#rules = rules;
  }

  /** A policy in the root is about all planes, one in another plane about that plane alone. */
  policiesFor(kind: GroupKind, plane: string): readonly ReadyPolicy<Policy, Compiled>[] {
    return this.#aboutPlane(this.#ready.get(groupKindText(kind)), plane);
  }

  /** Those that are switched off, and would be at work otherwise. */
  disabledFor(kind: GroupKind, plane: string): readonly IndexedPolicy<Policy, Compiled>[] {
    return this.#aboutPlane(this.#disabled.get(groupKindText(kind)), plane);
  }

  /** How many are at work. */
  get readyCount(): number {
    let count = 0;
    for (const policies of this.#ready.values()) count += policies.size;
    return count;
  }

  /** The kinds that policies at work are about. */
  kinds(): readonly GroupKind[] {
    return [...this.#ready.values()].flatMap((policies) => [...policies.values()].slice(0, 1).map(({ kind }) => kind));
  }

  get(plane: string, name: string): IndexedPolicy<Policy, Compiled> | undefined {
    return this.#entries.get(keyOf(plane, name));
  }

  entries(): Iterable<IndexedPolicy<Policy, Compiled>> {
    return this.#entries.values();
  }

  put(plane: string, policy: Policy): void {
    const key = keyOf(plane, policy.metadata.name ?? "");
    const before = this.#entries.get(key);
    const isSame = before !== undefined && sameSpec(before.policy, policy);
    this.#set(key, this.#judged(plane, policy, isSame ? before.compilation : this.#rules.compile(policy)));
  }

  remove(plane: string, name: string): void {
    const key = keyOf(plane, name);
    this.#takeOut(key);
    this.#entries.delete(key);
  }

  /** After registrations of a resource type have changed. Tells which policies may have other issues now. */
  rejudge(resourceType: string): readonly IndexedPolicy<Policy, Compiled>[] {
    const about = [...this.#entries].filter(([, { policy }]) =>
      this.#rules.resourceTypes(policy).includes(resourceType),
    );
    return about.map(([key, { plane, policy, compilation }]) => {
      const now = this.#judged(plane, policy, compilation);
      this.#set(key, now);
      return now;
    });
  }

  #judged(plane: string, policy: Policy, compilation: Entry<Policy, Compiled>["compilation"]): Entry<Policy, Compiled> {
    const issues = [...(compilation.ok ? [] : compilation.issues), ...this.#rules.issues(policy, plane)];
    const kind = { apiGroup: parseApiVersion(policy.trigger.apiVersion).group, kind: policy.trigger.kind };
    const ready = findCondition(policy.status.conditions, "Ready");
    const readySince = ready?.status === "True" ? ready.lastTransitionTime : undefined;
    return { plane, policy, kind, compilation, readySince, verdict: verdictOf(policy, compilation, issues) };
  }

  #set(key: string, entry: Entry<Policy, Compiled>): void {
    this.#takeOut(key);
    this.#entries.set(key, entry);
    const { plane, policy, kind, verdict, readySince } = entry;
    if (verdict.state === "ready") {
      putInto(this.#ready, kind, key, { plane, policy, kind, readySince, compiled: verdict.compiled });
    }
    if (verdict.state === "disabled") putInto(this.#disabled, kind, key, entry);
  }

  #aboutPlane<Placed extends { readonly plane: string }>(
    policies: ReadonlyMap<string, Placed> | undefined,
    plane: string,
  ): readonly Placed[] {
    if (policies === undefined) return [];
    return [...policies.values()].filter((policy) => policy.plane === this.#root || policy.plane === plane);
  }

  #takeOut(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    takeFrom(this.#ready, entry.kind, key);
    takeFrom(this.#disabled, entry.kind, key);
  }
}

function putInto<Value>(byKind: Map<string, Map<string, Value>>, kind: GroupKind, key: string, value: Value): void {
  const text = groupKindText(kind);
  const policies = byKind.get(text) ?? new Map<string, Value>();
  policies.set(key, value);
  byKind.set(text, policies);
}

function takeFrom<Value>(byKind: Map<string, Map<string, Value>>, kind: GroupKind, key: string): void {
  const text = groupKindText(kind);
  const policies = byKind.get(text);
  policies?.delete(key);
  if (policies?.size === 0) byKind.delete(text);
}

function verdictOf<Compiled>(
  { enabled }: AnyPolicy,
  compilation: ReturnType<PolicyRules<AnyPolicy, Compiled>["compile"]>,
  issues: readonly FieldIssue[],
): PolicyVerdict<Compiled> {
  if (!enabled) return { state: "disabled", issues };
  if (!compilation.ok || issues.length > 0) return { state: "invalid", issues };
  return { state: "ready", compiled: compilation.policy };
}

/** Servers count a generation up whenever a spec changes. */
function sameSpec(left: AnyPolicy, right: AnyPolicy): boolean {
  return left.metadata.uid === right.metadata.uid && left.metadata.generation === right.metadata.generation;
}

function keyOf(plane: string, name: string): string {
  return `${plane}\n${name}`;
}
