import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { ClaimPolicy } from "./wanted-claims.ts";

/** A claim, and the policy that wants it. */
export interface PolicyClaim {
  readonly policy: ClaimPolicy;
  readonly claim: RenderedClaim;
}

/** What a policy makes of a new object: a claim, or nothing. */
export interface PolicyRendering {
  readonly policy: ClaimPolicy;
  readonly claim: RenderedClaim | undefined;
}
