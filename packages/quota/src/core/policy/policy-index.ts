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
  readonly status: Pick<ClaimCreationPolicy["status"], "conditions" | "enforced">;
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
  /** What decides in place of a policy that is not ready. */
  whileInvalid?(policy: Policy, plane: string): PolicyAndCompiled<Policy, Compiled> | undefined;
}

interface PolicyAndCompiled<Policy, Compiled> {
  readonly policy: Policy;
  readonly compiled: Compiled;
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
  /** Since when the deciding generation is enforced; undefined until its status says so. */
  readonly enforcedSince: string | undefined;
}

/** A generation of a policy that decides about objects: of a ready policy the current one, otherwise the last enforced one. */
export type DecidingPolicy<Policy, Compiled> = Omit<IndexedPolicy<Policy, Compiled>, "verdict"> & {
  readonly compiled: Compiled;
};

interface Entry<Policy, Compiled> extends IndexedPolicy<Policy, Compiled> {
  readonly compilation: ReturnType<PolicyRules<Policy, Compiled>["compile"]>;
  readonly deciding: DecidingPolicy<Policy, Compiled> | undefined;
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
  readonly #deciding = new Map<string, Map<string, DecidingPolicy<Policy, Compiled>>>();
  readonly #disabled = new Map<string, Map<string, IndexedPolicy<Policy, Compiled>>>();

  constructor(root: string, rules: PolicyRules<Policy, Compiled>) {
    this.#root = root;
    this.#rules = rules;
  }

  /** A policy in the root applies to all planes, a policy in another plane to that plane only. */
  policiesFor(kind: GroupKind, plane: string): readonly DecidingPolicy<Policy, Compiled>[] {
    return this.#inPlane(this.#deciding.get(groupKindText(kind)), plane);
  }

  disabledFor(kind: GroupKind, plane: string): readonly IndexedPolicy<Policy, Compiled>[] {
    return this.#inPlane(this.#disabled.get(groupKindText(kind)), plane);
  }

  /** The number of policies that decide. */
  get decidingCount(): number {
    let count = 0;
    for (const policies of this.#deciding.values()) count += policies.size;
    return count;
  }

  /** The kinds that deciding policies apply to. */
  kinds(): readonly GroupKind[] {
    return [...this.#deciding.values()].flatMap((policies) =>
      [...policies.values()].slice(0, 1).map(({ kind }) => kind),
    );
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
    const verdict = verdictOf(policy, compilation, issues);
    const deciding = this.#decidingOf(plane, policy, verdict);
    const kind = triggerKind(deciding?.policy ?? policy);
    return { plane, policy, kind, compilation, verdict, deciding, enforcedSince: deciding?.enforcedSince };
  }

  #decidingOf(
    plane: string,
    policy: Policy,
    verdict: PolicyVerdict<Compiled>,
  ): DecidingPolicy<Policy, Compiled> | undefined {
    const { enforced } = policy.status;
    if (verdict.state === "ready") {
      const enforcedSince = enforced?.generation === policy.metadata.generation ? enforced?.since : undefined;
      return { plane, policy, kind: triggerKind(policy), enforcedSince, compiled: verdict.compiled };
    }
    const earlier = verdict.state === "invalid" ? this.#rules.whileInvalid?.(policy, plane) : undefined;
    return earlier && { plane, ...earlier, kind: triggerKind(earlier.policy), enforcedSince: enforced?.since };
  }

  #set(key: string, entry: Entry<Policy, Compiled>): void {
    this.#unindex(key);
    this.#entries.set(key, entry);
    const { kind, verdict, deciding } = entry;
    if (deciding !== undefined) addTo(this.#deciding, kind, key, deciding);
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
    removeFrom(this.#deciding, entry.kind, key);
    removeFrom(this.#disabled, entry.kind, key);
  }
}

function triggerKind({ trigger }: AnyPolicy): GroupKind {
  return { apiGroup: parseApiVersion(trigger.apiVersion).group, kind: trigger.kind };
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
