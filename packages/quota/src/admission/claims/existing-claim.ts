import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { candidatesOf, ownersOf } from "../../core/resources/claim-candidates.ts";
import { soleOwner } from "../../core/resources/claim-owner.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import type { ClaimRequest, ResourceClaim } from "../../core/resources/resource-claim.ts";
import { annotations, candidatesMax, claimCreator, claimRepairer } from "../../core/resources/well-known.ts";

/** What to do about an existing claim with the name of the one we want. */
export type NextStep =
  /** The claim lists our object: wait for its decision. */
  | { readonly step: "wait" }
  /** The claim is of no use: delete it, and create ours. */
  | { readonly step: "replace" }
  /** The claim is bound to another object: find out whether that exists. */
  | { readonly step: "checkBound"; readonly bound: string }
  /** Add our object to the claim's candidates. */
  | { readonly step: "join" }
  /** The claim is terminating: replace it unless its object exists. */
  | { readonly step: "terminating"; readonly bound: string | undefined }
  /** The claim has as many candidates as it can have. */
  | { readonly step: "full" }
  /** The claim is not the one that the policy renders, although it has the name. */
  | { readonly step: "conflicting"; readonly because: string };

export function nextStep(claim: ResourceClaim, wanted: RenderedClaim, candidate: string): NextStep {
  const because = difference(claim, wanted);
  if (because !== undefined) return { step: "conflicting", because };
  const candidates = candidatesOf(claim.metadata);
  const bound = claim.metadata.annotations?.[annotations.bound] ?? soleOwner(candidates, ownersOf(claim.metadata));
  if (claim.metadata.deletionTimestamp !== undefined) return { step: "terminating", bound };
  if (claim.decision.state === "denied") return { step: "replace" };
  if (candidates.includes(candidate)) return { step: "wait" };
  if (bound !== undefined) return { step: "checkBound", bound };
  if (candidates.length === 0) return { step: "replace" };
  return candidates.length >= candidatesMax ? { step: "full" } : { step: "join" };
}

/** The creators of claims for objects. A claim created by ownership repair serves a later object of the name as well. */
const creators: readonly (string | undefined)[] = [claimCreator, claimRepairer];

/** A claim can only be joined if it is for the same object, policy and consumer, and requests the same amounts. */
function difference(claim: ResourceClaim, wanted: RenderedClaim): string | undefined {
  const noted = claim.metadata.annotations ?? {};
  const differs = [annotations.policy, annotations.resourcePlane].find(
    (name) => (noted[name] ?? "") !== (wanted.annotations[name] ?? ""),
  );
  if (differs !== undefined) return `its annotation ${differs} differs`;
  if (!creators.includes(noted[annotations.createdBy])) return `its annotation ${annotations.createdBy} differs`;
  if (claim.resource === undefined || consumerKey(claim.resource) !== consumerKey(wanted.resource)) {
    return "it is for another object";
  }
  if (consumerKey(claim.consumer) !== consumerKey(wanted.consumer)) return "it is for another consumer";
  return sameRequests(claim.requests, wanted.requests) ? undefined : "it requests other amounts";
}

function sameRequests(left: readonly ClaimRequest[], right: readonly ClaimRequest[]): boolean {
  const texts = (requests: readonly ClaimRequest[]): string =>
    requests
      .map(({ resourceType, dimensions, amount }) => `${resourceType} ${dimensionKey(dimensions)} ${amount}`)
      .sort()
      .join("\n");
  return texts(left) === texts(right);
}
