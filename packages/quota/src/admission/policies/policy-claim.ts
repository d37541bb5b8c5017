import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { ClaimPolicy } from "./policy-evaluation.ts";

/** A claim, and the policy that rendered it. */
export interface PolicyClaim {
  readonly policy: ClaimPolicy;
  readonly claim: RenderedClaim;
}

/** The claim that a policy renders for an object. Undefined when the policy renders none. */
export interface PolicyRendering {
  readonly policy: ClaimPolicy;
  readonly claim: RenderedClaim | undefined;
}
