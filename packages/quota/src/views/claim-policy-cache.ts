import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { CompiledClaimPolicy } from "../core/policy/claim-policy.ts";
import { claimPolicyRules } from "../core/policy/policy-rules.ts";
import type { ClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import type { ControlPlanes } from "./control-planes.ts";
import { PolicyCache } from "./policy-cache.ts";
import type { RegistrationIndex } from "./registration-index.ts";

/** The compiled claim policies of all control planes by trigger kind. */
export class ClaimPolicyCache extends PolicyCache<ClaimCreationPolicy, CompiledClaimPolicy> {
  constructor(
    planes: Pick<ControlPlanes, "root" | "tenantKinds">,
    policies: Informer<ClaimCreationPolicy, ClaimCreationPolicy>,
    registrations: RegistrationIndex,
  ) {
    const rules = claimPolicyRules((plane, of) => planes.tenantKinds(plane, of), registrations);
    super({ root: planes.root, policies, registrations, rules });
  }
}
