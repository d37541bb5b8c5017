import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { knowledgeOf } from "../../core/ledger/read-claim.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";

/** The allocated parts of a claim; none unless it is granted. */
export function allocatedParts(claim: ResourceClaim): readonly ClaimPart[] {
  const known = knowledgeOf(claim);
  return known.state === "granted" ? known.parts : [];
}
