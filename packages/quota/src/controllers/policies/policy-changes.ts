import { type GroupKind, sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { GrantPolicyCache } from "../../views/grant-policy-cache.ts";
import type { PolicyKey } from "../../views/policy-cache.ts";

type Indexed = NonNullable<ReturnType<GrantPolicyCache["get"]>>;

/** Filters out updates that change only the status of a policy, which are frequent. */
export class PolicyChanges {
  readonly #policies: GrantPolicyCache;
  readonly #before = new Map<string, Indexed>();

  constructor(policies: GrantPolicyCache) {
    this.#policies = policies;
  }

  /** The kinds whose objects a policy may render differently since the previous call. */
  kindsAffected(key: PolicyKey): readonly GroupKind[] {
    const id = `${key.plane}\n${key.name}`;
    const [before, now] = [this.#before.get(id), this.#policies.get(key)];
    if (now === undefined) this.#before.delete(id);
    else this.#before.set(id, now);
    if (isEquivalent(before, now)) return [];
    const kinds = [before, now].flatMap((indexed) => (indexed === undefined ? [] : [indexed.kind]));
    return kinds.filter((kind, at) => kinds.findIndex((other) => sameGroupKind(kind, other)) === at);
  }
}

function isEquivalent(before: Indexed | undefined, now: Indexed | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  if (before.policy.metadata.uid !== now.policy.metadata.uid || !sameGroupKind(before.kind, now.kind)) return false;
  if (before.verdict.state !== "ready" || now.verdict.state !== "ready")
    return before.verdict.state === now.verdict.state;
  return before.verdict.compiled === now.verdict.compiled;
}
