import type { CompiledGrantPolicy } from "../../core/policy/grant-policy.ts";
import { grantPolicyRules } from "../../core/policy/policy-rules.ts";
import type { GrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import type { Runtime } from "../runtime.ts";
import type { Views } from "../views/views.ts";
import type { PolicyViews } from "./policy-views.ts";
import { WatchedPolicies } from "./watched-policies.ts";

export interface GrantPolicyIndexOptions {
  readonly runtime: Pick<Runtime, "planes">;
  readonly views: Pick<Views, "registrations">;
  readonly policies: Pick<PolicyViews, "grantPolicies">;
}

/** The grant policies of all planes, compiled, by the kinds that trigger them. */
export class GrantPolicyIndex extends WatchedPolicies<GrantCreationPolicy, CompiledGrantPolicy> {
  constructor({ runtime: { planes }, views, policies }: GrantPolicyIndexOptions) {
    super({
      root: planes.root,
      policies: policies.grantPolicies,
      registrations: views.registrations,
      rules: (view) => grantPolicyRules(planes, view),
    });
  }
}
