import { dimensionKey } from "../resources/fields/dimensions.ts";
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
 * allocations, never in its spec, and is matched with its requests, because a claim may spell its keys in short.
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
      return { state: "granted", parts: heldParts(claim, answer.allocations) };
    default:
      throw new Error(`unknown answer ${answer satisfies never}`);
  }
}

function heldParts(claim: ResourceClaim, allocations: readonly ClaimPart[]): readonly ClaimPart[] {
  return allocations.map(({ resourceType, dimensionKey: key, amount }) => {
    const request = claim.requests.find((each) => each.resourceType === resourceType && each.dimensionKey === key);
    return { resourceType, dimensionKey: request === undefined ? key : dimensionKey(request.dimensions), amount };
  });
}

function partOf({ resourceType, dimensions, amount }: ResourceClaim["requests"][number]): ClaimPart {
  return { resourceType, dimensionKey: dimensionKey(dimensions), amount };
}
