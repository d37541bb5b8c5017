import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { CompiledGrantPolicy } from "../core/policy/grant-policy.ts";
import { grantPolicyRules } from "../core/policy/policy-rules.ts";
import type { GrantCreationPolicy } from "../core/resources/grant-creation-policy.ts";
import type { ControlPlanes } from "./control-planes.ts";
import type { RegistrationIndex } from "./registration-index.ts";
import { WatchedPolicies } from "./watched-policies.ts";

/** The grant policies of all planes, compiled, by the kinds that trigger them. */
export class GrantPolicyIndex extends WatchedPolicies<GrantCreationPolicy, CompiledGrantPolicy> {
  constructor(
    { root }: Pick<ControlPlanes, "root">,
    policies: Informer<GrantCreationPolicy, GrantCreationPolicy>,
    registrations: RegistrationIndex,
  ) {
    super({ root, policies, registrations, rules: grantPolicyRules(root, registrations) });
  }
}
