import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { type ClaimCreationPolicy, parseClaimCreationPolicy } from "../../core/resources/claim-creation-policy.ts";
import { type GrantCreationPolicy, parseGrantCreationPolicy } from "../../core/resources/grant-creation-policy.ts";
import { claimPoliciesType, grantPoliciesType } from "../quota-types.ts";
import type { Runtime } from "../runtime.ts";

/** The policies there are, in all planes. */
export interface PolicyViews {
  readonly claimPolicies: Informer<ClaimCreationPolicy, ClaimCreationPolicy>;
  readonly grantPolicies: Informer<GrantCreationPolicy, GrantCreationPolicy>;
}

export function createPolicyViews({ planes, clock, random, report }: Runtime): PolicyViews {
  return {
    claimPolicies: new Informer({
      source: planes.everywhere(claimPoliciesType),
      parse: parseClaimCreationPolicy,
      keep: (policy) => policy,
      clock,
      random,
      report: (error) => report("claim policies", error),
    }),
    grantPolicies: new Informer({
      source: planes.everywhere(grantPoliciesType),
      parse: parseGrantCreationPolicy,
      keep: (policy) => policy,
      clock,
      random,
      report: (error) => report("grant policies", error),
    }),
  };
}
