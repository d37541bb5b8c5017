import type { CompiledClaimPolicy } from "../../core/policy/claim-policy.ts";
import { claimPolicyRules } from "../../core/policy/policy-rules.ts";
import type { ClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import type { Runtime } from "../runtime.ts";
import type { Views } from "../views/views.ts";
import type { PolicyViews } from "./policy-views.ts";
import { WatchedPolicies } from "./watched-policies.ts";

export interface ClaimPolicyIndexOptions {
  readonly runtime: Pick<Runtime, "planes">;
  readonly views: Pick<Views, "registrations">;
  readonly policies: Pick<PolicyViews, "claimPolicies">;
}

/** The claim policies of all planes, compiled, by the kinds they are about. */
export class ClaimPolicyIndex extends WatchedPolicies<ClaimCreationPolicy, CompiledClaimPolicy> {
  constructor({ runtime: { planes }, views, policies }: ClaimPolicyIndexOptions) {
    super({
      root: planes.root,
      policies: policies.claimPolicies,
      registrations: views.registrations,
      rules: (view) => claimPolicyRules(planes, view),
    });
  }
}
