import {
  childPath,
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { dimensionKey } from "../fields/dimensions.ts";
import type { ClaimRequest, ResourceClaim } from "../resource-claim.ts";

/** What the dimensions of all requests may take together: all promises to a claim must fit onto a page at once. */
const dimensionCharactersMax = 16_384;

/** What is wrong with a claim by itself, and what its schema cannot say. Claims are refused for it when they are made. */
export function claimFaults(claim: Pick<ResourceClaim, "requests">): readonly FieldIssue[] {
  const requests = claim.requests.flatMap((request, index) => requestFaults(request, itemPath("spec.requests", index)));
  return [...sizeFaults(claim), ...requests];
}

function requestFaults(request: ClaimRequest, path: string): readonly FieldIssue[] {
  const faults: FieldIssue[] = [];
  if (request.amount === 0n) {
    faults.push(invalid(childPath(path, "amount"), 0, "must be greater than 0: a claim asks for something"));
  }
  if (request.dimensionKey !== "" && request.dimensionKey !== dimensionKey(request.dimensions)) {
    const detail = `must be empty, or the dimensions in order: ${JSON.stringify(dimensionKey(request.dimensions))}`;
    faults.push(invalid(childPath(path, "dimensionKey"), request.dimensionKey, detail));
  }
  return faults;
}

function sizeFaults(claim: Pick<ResourceClaim, "requests">): readonly FieldIssue[] {
  const characters = claim.requests.reduce((sum, request) => sum + dimensionKey(request.dimensions).length, 0);
  if (characters <= dimensionCharactersMax) return [];
  const detail = `may take ${dimensionCharactersMax} characters together, these take ${characters}`;
  return [forbidden("spec.requests", `the dimensions of all requests ${detail}`)];
}
