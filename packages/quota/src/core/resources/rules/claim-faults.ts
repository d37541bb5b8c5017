import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { ClaimRequest, ResourceClaim } from "../resource-claim.ts";

/** What the dimensions of all requests may take together: all promises to a claim must fit onto a page at once. */
const dimensionCharactersMax = 16_384;

/** What is wrong with a claim by itself, and what its schema cannot say. Claims are refused for it when they are made. */
export function claimFaults(claim: Pick<ResourceClaim, "requests">): readonly FieldIssue[] {
  const requests = claim.requests.flatMap((request, index) => requestFaults(request, itemPath("spec.requests", index)));
  return [...sizeFaults(claim), ...requests];
}

function requestFaults(request: ClaimRequest, path: string): readonly FieldIssue[] {
  if (request.amount !== 0n) return [];
  return [invalid(childPath(path, "amount"), 0, "must be greater than 0: a claim asks for something")];
}

function sizeFaults(claim: Pick<ResourceClaim, "requests">): readonly FieldIssue[] {
  const characters = claim.requests.reduce((sum, request) => sum + request.dimensionKey.length, 0);
  if (characters <= dimensionCharactersMax) return [];
  const detail = `may take ${dimensionCharactersMax} characters together, these take ${characters}`;
  return [forbidden("spec.requests", `the dimensions of all requests ${detail}`)];
}
