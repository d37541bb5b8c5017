import type { AdmissionListener } from "../admission-listener.ts";
import type { ObjectChange } from "../object-change.ts";
import type { ReducedNeed } from "./growth.ts";
import type { PolicyClaim, PolicyRendering } from "./policy-claim.ts";
import { type ChangeInput, type ClaimPolicy, wishOf } from "./wanted-claims.ts";

/** How a warning begins that a policy lets something in which it knows nothing of. */
export const notChecked = "quota is not checked";

/** What all policies make of a change. */
export interface Wishes {
  /** Decided together: all or nothing. */
  readonly enforced: readonly PolicyClaim[];
  /** What the object needs less of than before. */
  readonly reduced: readonly ReducedNeed[];
  /** What those make of the object that can be evaluated; on an update, of its growth. */
  readonly rendered: readonly PolicyRendering[];
  /** Only looked at. */
  readonly shadowed: readonly PolicyClaim[];
  /** Why the change cannot be understood by policies that insist on it. */
  readonly failures: readonly PolicyFailure[];
}

/** Why a policy cannot be evaluated for a change. */
export interface PolicyFailure {
  readonly policy: ClaimPolicy;
  readonly message: string;
}

export interface WishContext {
  readonly change: ObjectChange;
  readonly input: ChangeInput;
  readonly isShadow: (policy: ClaimPolicy) => boolean;
  readonly told: AdmissionListener;
}

export function wishesOf(policies: readonly ClaimPolicy[], context: WishContext): Wishes {
  const { change, input, isShadow, told } = context;
  const enforced: PolicyClaim[] = [];
  const shadowed: PolicyClaim[] = [];
  const reduced: ReducedNeed[] = [];
  const rendered: PolicyRendering[] = [];
  const failures: PolicyFailure[] = [];
  for (const policy of policies) {
    const wish = wishOf(policy, change, input);
    if (wish.outcome !== "failed") rendered.push({ policy, claim: wish.outcome === "claim" ? wish.claim : undefined });
    if (wish.outcome !== "failed" && wish.reduced !== undefined && !isShadow(policy)) reduced.push(wish.reduced);
    if (wish.outcome === "claim") (isShadow(policy) ? shadowed : enforced).push({ policy, claim: wish.claim });
    else if (wish.outcome === "nothing" && wish.missingKeys > 0) told.missingKey?.(policy.policy);
    else if (wish.outcome === "failed") noteFailure(policy, wish.message, context, failures);
  }
  return { enforced, reduced, rendered, shadowed, failures };
}

/** A policy that only watches, or lets in what it does not understand, keeps nobody out. */
function noteFailure(
  policy: ClaimPolicy,
  message: string,
  { change, isShadow, told }: WishContext,
  failures: PolicyFailure[],
): void {
  const isKept = !isShadow(policy) && policy.policy.failurePolicy === "Fail";
  told.decided?.(policy.policy, change, isKept ? "misconfigured" : "ignored");
  if (isKept) failures.push({ policy, message });
  else change.warn(`${notChecked}: ${message}`);
}
