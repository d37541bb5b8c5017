import type { ResourceClaim } from "../resources/resource-claim.ts";
import type { ClaimKnowledge, ClaimPart } from "./claim-knowledge.ts";
import type { OpenClaim, Standing } from "./ledger-bucket.ts";

/** What a claim asks for. */
export function openClaimOf(claim: ResourceClaim, standing: Standing): OpenClaim {
  const { namespace = "", name = "", uid = "" } = claim.metadata;
  return { claim: { namespace, name, uid }, parts: claim.requests.map(partOf), standing };
}

/**
 * What a claim says of itself. One that is not valid yet is pending: it may still be granted. What it holds is in its
 * allocations, never in its spec.
 */
export function knowledgeOf(claim: ResourceClaim): ClaimKnowledge {
  const { answer } = claim;
  switch (answer.state) {
    case "pending":
    case "invalid":
      return { state: "pending", deleting: claim.metadata.deletionTimestamp !== undefined };
    case "denied":
      return { state: "denied" };
    case "granted":
      return { state: "granted", parts: answer.allocations };
    default:
      throw new Error(`unknown answer ${answer satisfies never}`);
  }
}

function partOf({ resourceType, dimensionKey, amount }: ResourceClaim["requests"][number]): ClaimPart {
  return { resourceType, dimensionKey, amount };
}
