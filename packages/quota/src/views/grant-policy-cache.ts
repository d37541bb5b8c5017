import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { CompiledGrantPolicy } from "../core/policy/grant-policy.ts";
import { grantPolicyRules } from "../core/policy/policy-rules.ts";
import type { GrantCreationPolicy } from "../core/resources/grant-creation-policy.ts";
import type { ControlPlanes } from "./control-planes.ts";
import { PolicyCache } from "./policy-cache.ts";
import type { RegistrationIndex } from "./registration-index.ts";

/** The compiled grant policies of all control planes by trigger kind. */
export class GrantPolicyCache extends PolicyCache<GrantCreationPolicy, CompiledGrantPolicy> {
  constructor(
    { root }: Pick<ControlPlanes, "root">,
    policies: Informer<GrantCreationPolicy, GrantCreationPolicy>,
    registrations: RegistrationIndex,
  ) {
    super({ root, policies, registrations, rules: grantPolicyRules(root, registrations) });
  }
}
