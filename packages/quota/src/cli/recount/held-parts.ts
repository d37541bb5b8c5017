import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { knowledgeOf } from "../../core/ledger/read-claim.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";

/** What a claim holds: nothing, unless it is granted. */
export function heldParts(claim: ResourceClaim): readonly ClaimPart[] {
  const known = knowledgeOf(claim);
  return known.state === "granted" ? known.parts : [];
}
