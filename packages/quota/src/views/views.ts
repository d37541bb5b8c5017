import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { type GrantCreationPolicy, parseGrantCreationPolicy } from "../core/resources/grant-creation-policy.ts";
import { parseResourceClaim, type ResourceClaim } from "../core/resources/resource-claim.ts";
import { parseResourceGrant, type ResourceGrant } from "../core/resources/resource-grant.ts";
import { type ClaimRecord, ClaimRecords } from "./claim-record.ts";
import { GrantPolicyIndex } from "./grant-policy-index.ts";
import { PolicyViews, type ViewsRuntime } from "./policy-views.ts";
import { claimsType, grantPoliciesType, grantsType } from "./quota-types.ts";

/** The whole quota API as controllers see it, in all planes. One process has one, which admission uses as well. */
export class Views extends PolicyViews {
  readonly grants: Informer<ResourceGrant, ResourceGrant>;
  readonly claims: Informer<ResourceClaim, ClaimRecord>;
  readonly grantPolicies: Informer<GrantCreationPolicy, GrantCreationPolicy>;
  readonly grantPolicyIndex: GrantPolicyIndex;

  constructor(runtime: ViewsRuntime) {
    super(runtime);
    const { planes, clock, random, report } = runtime;
    const records = new ClaimRecords();
    this.grants = this.addInformer("grants", {
      source: planes.everywhere(grantsType),
      parse: parseResourceGrant,
      keep: (grant) => grant,
      clock,
      random,
      report: (error) => report("grants", error),
    });
    this.claims = this.addInformer("claims", {
      source: planes.everywhere(claimsType),
      parse: parseResourceClaim,
      keep: (claim) => records.of(claim),
      clock,
      random,
      report: (error) => report("claims", error),
    });
    this.grantPolicies = this.addInformer("grantPolicies", {
      source: planes.everywhere(grantPoliciesType),
      parse: parseGrantCreationPolicy,
      keep: (policy) => policy,
      clock,
      random,
      report: (error) => report("grant policies", error),
    });
    this.grantPolicyIndex = new GrantPolicyIndex(planes, this.grantPolicies, this.registrationIndex);
  }

  override get ready(): Promise<unknown> {
    return Promise.all([super.ready, this.grantPolicyIndex.ready]);
  }
}
