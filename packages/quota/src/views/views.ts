import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { type GrantCreationPolicy, parseGrantCreationPolicy } from "../core/resources/grant-creation-policy.ts";
import { parseResourceClaim, type ResourceClaim } from "../core/resources/resource-claim.ts";
import { parseResourceGrant, type ResourceGrant } from "../core/resources/resource-grant.ts";
import { type ClaimRecord, ClaimRecords } from "./claim-record.ts";
import { GrantPolicyCache } from "./grant-policy-cache.ts";
import type { PolicyKey } from "./policy-cache.ts";
import { PolicyViews, type ViewsRuntime } from "./policy-views.ts";
import { claimsType, grantPoliciesType, grantsType } from "./quota-types.ts";

/** The caches of the whole quota API in all control planes. A process has one instance, shared with admission. */
export class Views extends PolicyViews {
  readonly grants: Informer<ResourceGrant, ResourceGrant>;
  readonly claims: Informer<ResourceClaim, ClaimRecord>;
  /** Claims that an earlier version stored. */
  readonly claimsWithoutPhase = new Map<string, PlaneObjectKey>();
  readonly grantPolicies: Informer<GrantCreationPolicy, GrantCreationPolicy>;
  readonly grantPolicyCache: GrantPolicyCache;
  readonly #root: string;

  constructor(runtime: ViewsRuntime) {
    super(runtime);
    const { planes, clock, random, report } = runtime;
    this.#root = planes.root;
    const records = new ClaimRecords();
    this.grants = this.addInformer("grants", {
      source: planes.everywhere(grantsType),
      parse: parseResourceGrant,
      transform: (grant) => grant,
      clock,
      random,
      report: (error) => report("grants", error),
    });
    this.claims = this.addInformer("claims", {
      source: planes.everywhere(claimsType),
      parse: parseResourceClaim,
      transform: (claim, plane) => {
        this.#notePhase(claim, plane);
        return records.of(claim);
      },
      clock,
      random,
      report: (error) => report("claims", error),
    });
    this.grantPolicies = this.addInformer("grantPolicies", {
      source: planes.everywhere(grantPoliciesType),
      parse: parseGrantCreationPolicy,
      transform: (policy) => policy,
      clock,
      random,
      report: (error) => report("grant policies", error),
    });
    this.grantPolicyCache = new GrantPolicyCache(planes, this.grantPolicies, this.registrationIndex);
  }

  /** Iterates over all claims, which is fast enough for a warning on a rare write. */
  override claimsOfPolicy({ plane, name }: PolicyKey): number {
    const isInScope = (claimPlane: string): boolean => plane === this.#root || plane === claimPlane;
    let count = 0;
    for (const [key, { automatic }] of this.claims.entries()) {
      if (automatic?.policy === name && isInScope(key.plane)) count += 1;
    }
    return count;
  }

  #notePhase({ metadata, status }: ResourceClaim, plane: string): void {
    const { namespace = "", name = "" } = metadata;
    const isMissing = status.phase === undefined;
    if (!isMissing && this.claimsWithoutPhase.size === 0) return;
    const id = `${plane}\n${namespace}\n${name}`;
    if (isMissing) this.claimsWithoutPhase.set(id, { plane, namespace, name });
    else this.claimsWithoutPhase.delete(id);
  }

  override get ready(): Promise<unknown> {
    return Promise.all([super.ready, this.grantPolicyCache.ready]);
  }
}
