import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { candidatesOf, ownersOf } from "../../core/resources/claim-candidates.ts";
import { soleOwner } from "../../core/resources/claim-owner.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import type { ClaimRequest, ResourceClaim } from "../../core/resources/resource-claim.ts";
import { annotations, candidatesMax, claimCreator, claimRepairer } from "../../core/resources/well-known.ts";

/** What to do about a claim that is there already under the name of the one we want. */
export type NextStep =
  /** It is for our object: wait for its answer. */
  | { readonly step: "wait" }
  /** It is of no use: delete it, and make ours. */
  | { readonly step: "replace" }
  /** It is for an object that may exist: find out. */
  | { readonly step: "look"; readonly bound: string }
  /** List our object in it. */
  | { readonly step: "join" }
  /** It is being deleted: out of the way, unless its object exists. */
  | { readonly step: "terminating"; readonly bound: string | undefined }
  | { readonly step: "full" }
  /** It is something else: two things have the same name that must not. */
  | { readonly step: "foreign"; readonly because: string };

export function nextStep(claim: ResourceClaim, wanted: RenderedClaim, candidate: string): NextStep {
  const because = difference(claim, wanted);
  if (because !== undefined) return { step: "foreign", because };
  const candidates = candidatesOf(claim.metadata);
  const bound = claim.metadata.annotations?.[annotations.bound] ?? soleOwner(candidates, ownersOf(claim.metadata));
  if (claim.metadata.deletionTimestamp !== undefined) return { step: "terminating", bound };
  if (claim.answer.state === "denied") return { step: "replace" };
  if (candidates.includes(candidate)) return { step: "wait" };
  if (bound !== undefined) return { step: "look", bound };
  if (candidates.length === 0) return { step: "replace" };
  return candidates.length >= candidatesMax ? { step: "full" } : { step: "join" };
}

/** Only the system calls itself so. A claim made for an object that had none serves the next of its name as any other. */
const creators: readonly (string | undefined)[] = [claimCreator, claimRepairer];

/** Whoever joins a claim relies on it being about the same object, for the same policy, and asking for the same. */
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
  return sameRequests(claim.requests, wanted.requests) ? undefined : "it asks for something else";
}

function sameRequests(left: readonly ClaimRequest[], right: readonly ClaimRequest[]): boolean {
  const texts = (requests: readonly ClaimRequest[]): string =>
    requests
      .map(({ resourceType, dimensions, amount }) => `${resourceType} ${dimensionKey(dimensions)} ${amount}`)
      .sort()
      .join("\n");
  return texts(left) === texts(right);
}
