import type { ResourceClaim } from "../resources/resource-claim.ts";
import type { ClaimKnowledge, ClaimPart } from "./claim-knowledge.ts";
import type { OpenClaim } from "./ledger-bucket.ts";

/** The requests of a claim that is not decided yet. */
export function openClaimOf(claim: ResourceClaim, forced: boolean): OpenClaim {
  const { namespace = "", name = "", uid = "" } = claim.metadata;
  return { claim: { namespace, name, uid }, parts: claim.requests.map(partOf), forced };
}

/**
 * The state of a claim according to its status. An invalid claim is pending: it may still be granted. A granted claim holds
 * its allocations, whatever its spec requests.
 */
export function knowledgeOf(claim: ResourceClaim): ClaimKnowledge {
  const { decision } = claim;
  switch (decision.state) {
    case "pending":
    case "invalid":
      return { state: "pending", deleting: claim.metadata.deletionTimestamp !== undefined };
    case "denied":
      return { state: "denied" };
    case "granted":
      return { state: "granted", parts: decision.allocations };
    default:
      throw new Error(`unknown decision ${decision satisfies never}`);
  }
}

function partOf({ resourceType, dimensionKey, amount }: ResourceClaim["requests"][number]): ClaimPart {
  return { resourceType, dimensionKey, amount };
}
