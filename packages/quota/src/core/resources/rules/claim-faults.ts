import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ClaimRequest, ResourceClaim } from "../resource-claim.ts";

/** Limits the dimensions of all requests together, because all reservations of a claim must fit into one bucket write. */
const dimensionCharactersMax = 16_384;

/** Issues of a claim that its schema cannot express. They reject the claim when it is created. */
export function claimFaults(claim: Pick<ResourceClaim, "requests">): readonly FieldIssue[] {
  const requests = claim.requests.flatMap((request, index) => requestFaults(request, itemPath("spec.requests", index)));
  return [...sizeFaults(claim), ...requests];
}

function requestFaults(request: ClaimRequest, path: string): readonly FieldIssue[] {
  if (request.amount !== 0n) return [];
  return [invalid(childPath(path, "amount"), 0, "must be greater than 0")];
}

function sizeFaults(claim: Pick<ResourceClaim, "requests">): readonly FieldIssue[] {
  const characters = claim.requests.reduce((sum, request) => sum + request.dimensionKey.length, 0);
  if (characters <= dimensionCharactersMax) return [];
  const detail = `must have at most ${dimensionCharactersMax} characters together, but have ${characters}`;
  return [forbidden("spec.requests", `the dimensions of all requests ${detail}`)];
}
