import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { ClaimPolicy } from "./policy-evaluation.ts";

/** A claim, and the policy that rendered it. */
export interface PolicyClaim {
  readonly policy: ClaimPolicy;
  readonly claim: RenderedClaim;
  /** Whether the claim is for what the object needs more than before. */
  readonly isGrowth: boolean;
}

/** The claim that a policy renders for an object. Undefined when the policy renders none. */
export interface PolicyRendering {
  readonly policy: ClaimPolicy;
  readonly claim: RenderedClaim | undefined;
}
