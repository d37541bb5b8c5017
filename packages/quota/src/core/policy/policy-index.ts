import { findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { type ObjectMeta, parseApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ClaimCreationPolicy } from "../resources/claim-creation-policy.ts";
import { type GroupKind, groupKindText } from "../resources/fields/consumer-ref.ts";
import type { PolicyTrigger } from "../resources/fields/policy-trigger.ts";

/** The fields that claim and grant policies have in common. */
export interface AnyPolicy {
  readonly metadata: ObjectMeta;
  readonly enabled: boolean;
  readonly trigger: PolicyTrigger;
  readonly status: Pick<ClaimCreationPolicy["status"], "conditions">;
}

/** Compiles and validates policies of one kind. */
export interface PolicyRules<Policy, Compiled> {
  compile(
    policy: Policy,
  ): { readonly ok: true; readonly policy: Compiled } | { readonly ok: false; readonly issues: readonly FieldIssue[] };
  /** Issues in objects that the policy refers to. */
  issues(policy: Policy, plane: string): readonly FieldIssue[];
  /** The resource types whose registrations it depends on. */
  resourceTypes(policy: Policy): readonly string[];
}

/** Whether a policy is in effect. */
export type PolicyVerdict<Compiled> =
  | { readonly state: "ready"; readonly compiled: Compiled }
  /** A disabled policy may have issues as well. */
  | { readonly state: "disabled"; readonly issues: readonly FieldIssue[] }
  | { readonly state: "invalid"; readonly issues: readonly FieldIssue[] };

export interface IndexedPolicy<Policy, Compiled> {
  readonly plane: string;
  readonly policy: Policy;
  readonly kind: GroupKind;
  readonly verdict: PolicyVerdict<Compiled>;
  /** Time of the transition to Ready in its status; undefined until that is stored. */
  readonly readySince: string | undefined;
}

export type ReadyPolicy<Policy, Compiled> = Omit<IndexedPolicy<Policy, Compiled>, "verdict"> & {
  readonly compiled: Compiled;
};

interface Entry<Policy, Compiled> extends IndexedPolicy<Policy, Compiled> {
  readonly compilation: ReturnType<PolicyRules<Policy, Compiled>["compile"]>;
}

/**
 * Policies by the kind they apply to, compiled once for each change of their spec. The index validates policies itself, and
 * does not rely on their status.
 */
export class PolicyIndex<Policy extends AnyPolicy, Compiled> {
  readonly #root: string;
  readonly #rules: PolicyRules<Policy, Compiled>;
  readonly #entries = new Map<string, Entry<Policy, Compiled>>();
  /** By kind. */
  readonly #ready = new Map<string, Map<string, ReadyPolicy<Policy, Compiled>>>();
  readonly #disabled = new Map<string, Map<string, IndexedPolicy<Policy, Compiled>>>();

  constructor(root: string, rules: PolicyRules<Policy, Compiled>) {
    this.#root = root;
    this.#rules = rules;
  }

  /** A policy in the root applies to all planes, a policy in another plane to that plane only. */
  policiesFor(kind: GroupKind, plane: string): readonly ReadyPolicy<Policy, Compiled>[] {
    return this.#inPlane(this.#ready.get(groupKindText(kind)), plane);
  }

  disabledFor(kind: GroupKind, plane: string): readonly IndexedPolicy<Policy, Compiled>[] {
    return this.#inPlane(this.#disabled.get(groupKindText(kind)), plane);
  }

  get readyCount(): number {
    let count = 0;
    for (const policies of this.#ready.values()) count += policies.size;
    return count;
  }

  /** The kinds that ready policies apply to. */
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
    this.#set(key, this.#validate(plane, policy, isSame ? before.compilation : this.#rules.compile(policy)));
  }

  remove(plane: string, name: string): void {
    const key = keyOf(plane, name);
    this.#unindex(key);
    this.#entries.delete(key);
  }

  /** To be called after registrations of a resource type have changed. Returns the policies that depend on them. */
  revalidate(resourceType: string): readonly IndexedPolicy<Policy, Compiled>[] {
    const dependent = [...this.#entries].filter(([, { policy }]) =>
      this.#rules.resourceTypes(policy).includes(resourceType),
    );
    return dependent.map(([key, { plane, policy, compilation }]) => {
      const now = this.#validate(plane, policy, compilation);
      this.#set(key, now);
      return now;
    });
  }

  #validate(
    plane: string,
    policy: Policy,
    compilation: Entry<Policy, Compiled>["compilation"],
  ): Entry<Policy, Compiled> {
    const issues = [...(compilation.ok ? [] : compilation.issues), ...this.#rules.issues(policy, plane)];
    const kind = { apiGroup: parseApiVersion(policy.trigger.apiVersion).group, kind: policy.trigger.kind };
    const ready = findCondition(policy.status.conditions, "Ready");
    const readySince = ready?.status === "True" ? ready.lastTransitionTime : undefined;
    return { plane, policy, kind, compilation, readySince, verdict: verdictOf(policy, compilation, issues) };
  }

  #set(key: string, entry: Entry<Policy, Compiled>): void {
    this.#unindex(key);
    this.#entries.set(key, entry);
    const { plane, policy, kind, verdict, readySince } = entry;
    if (verdict.state === "ready") {
      addTo(this.#ready, kind, key, { plane, policy, kind, readySince, compiled: verdict.compiled });
    }
    if (verdict.state === "disabled") addTo(this.#disabled, kind, key, entry);
  }

  #inPlane<Indexed extends { readonly plane: string }>(
    policies: ReadonlyMap<string, Indexed> | undefined,
    plane: string,
  ): readonly Indexed[] {
    if (policies === undefined) return [];
    return [...policies.values()].filter((policy) => policy.plane === this.#root || policy.plane === plane);
  }

  #unindex(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    removeFrom(this.#ready, entry.kind, key);
    removeFrom(this.#disabled, entry.kind, key);
  }
}

function addTo<Value>(byKind: Map<string, Map<string, Value>>, kind: GroupKind, key: string, value: Value): void {
  const text = groupKindText(kind);
  const policies = byKind.get(text) ?? new Map<string, Value>();
  policies.set(key, value);
  byKind.set(text, policies);
}

function removeFrom<Value>(byKind: Map<string, Map<string, Value>>, kind: GroupKind, key: string): void {
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

/** An API server increments the generation whenever the spec changes. */
function sameSpec(left: AnyPolicy, right: AnyPolicy): boolean {
  return left.metadata.uid === right.metadata.uid && left.metadata.generation === right.metadata.generation;
}

function keyOf(plane: string, name: string): string {
  return `${plane}\n${name}`;
}
