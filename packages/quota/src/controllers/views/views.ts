import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { parseResourceClaim, type ResourceClaim } from "../../core/resources/resource-claim.ts";
import { parseResourceGrant, type ResourceGrant } from "../../core/resources/resource-grant.ts";
import { parseResourceRegistration, type ResourceRegistration } from "../../core/resources/resource-registration.ts";
import { claimsType, grantsType, registrationsType } from "../quota-types.ts";
import type { Runtime } from "../runtime.ts";
import { type ClaimRecord, ClaimRecords } from "./claim-record.ts";

/** What controllers see of the quota API, always up to date, in all planes. */
export interface Views {
  /** In the root. They hold in all planes. */
  readonly registrations: Informer<ResourceRegistration, ResourceRegistration>;
  readonly grants: Informer<ResourceGrant, ResourceGrant>;
  readonly claims: Informer<ResourceClaim, ClaimRecord>;
}

export function createViews(runtime: Runtime): Views {
  const { planes, clock, random, report } = runtime;
  const records = new ClaimRecords();
  const common = { clock, random };
  return {
    registrations: new Informer({
      ...common,
      source: planes.inRoot(registrationsType),
      parse: parseResourceRegistration,
      keep: (registration) => registration,
      report: (error) => report("registrations", error),
    }),
    grants: new Informer({
      ...common,
      source: planes.everywhere(grantsType),
      parse: parseResourceGrant,
      keep: (grant) => grant,
      report: (error) => report("grants", error),
    }),
    claims: new Informer({
      ...common,
      source: planes.everywhere(claimsType),
      parse: parseResourceClaim,
      keep: (claim) => records.of(claim),
      report: (error) => report("claims", error),
    }),
  };
}
