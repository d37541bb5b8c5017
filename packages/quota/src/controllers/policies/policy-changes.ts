import { type GroupKind, sameGroupKind } from "../../core/resources/fields/consumer-ref.ts";
import type { GrantPolicyIndex } from "../../views/grant-policy-index.ts";
import type { PolicyPlace } from "../../views/watched-policies.ts";

type Indexed = NonNullable<ReturnType<GrantPolicyIndex["get"]>>;

/** Tells changes to what policies do from changes to what their status says, of which there are many. */
export class PolicyChanges {
  readonly #index: GrantPolicyIndex;
  readonly #before = new Map<string, Indexed>();

  constructor(index: GrantPolicyIndex) {
    this.#index = index;
  }

  /** The kinds whose objects a policy may make something else of than when this was last asked. */
  kindsAffected(place: PolicyPlace): readonly GroupKind[] {
    const key = `${place.plane}\n${place.name}`;
    const [before, now] = [this.#before.get(key), this.#index.get(place)];
    if (now === undefined) this.#before.delete(key);
    else this.#before.set(key, now);
    if (doesSame(before, now)) return [];
    const kinds = [before, now].flatMap((indexed) => (indexed === undefined ? [] : [indexed.kind]));
    return kinds.filter((kind, at) => kinds.findIndex((other) => sameGroupKind(kind, other)) === at);
  }
}

function doesSame(before: Indexed | undefined, now: Indexed | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  if (before.policy.metadata.uid !== now.policy.metadata.uid || !sameGroupKind(before.kind, now.kind)) return false;
  if (before.verdict.state !== "ready" || now.verdict.state !== "ready")
    return before.verdict.state === now.verdict.state;
  return before.verdict.compiled === now.verdict.compiled;
}
