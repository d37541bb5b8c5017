import type { EventSubject, Happening } from "@milo-quota/kubernetes/client/events/core-event.ts";
import { quotaApiVersion } from "../../../core/resources/well-known.ts";
import type { ForcedClaim } from "../forced/supply.ts";
import type { DecidedOn } from "./claim-changes.ts";
import type { ClaimStep } from "./next-step.ts";

export function subjectOf({ place, uid }: DecidedOn): EventSubject {
  const { namespace, name } = place;
  return { apiVersion: quotaApiVersion, kind: "ResourceClaim", namespace, name, uid };
}

/** What people are told of a claim that they will look for and not find; nothing where its object went as well. */
export function claimDeletedEvent(
  why: Extract<ClaimStep, { step: "delete" }>["why"],
  refusal: string,
): Happening | undefined {
  switch (why) {
    case "denied":
      return {
        type: "Warning",
        reason: "DeniedClaimDeleted",
        message: `Deleted after it was denied. ${refusal}`.trim(),
      };
    case "unused":
      return {
        type: "Normal",
        reason: "UnusedClaimDeleted",
        message: "Deleted, because the object it was for has not been stored.",
      };
    case "released":
      return undefined;
    default:
      throw new Error(`unknown reason ${why satisfies never}`);
  }
}

/** People may wonder about a claim that took more than there was. */
export function claimForcedEvent(why: ForcedClaim["why"]): Happening {
  const because = {
    adopted: "older than the policy, which adopts existing objects",
    repaired: "stored without a claim",
    grown: "stored with more than its claims hold",
  }[why];
  return {
    type: "Normal",
    reason: "ClaimForced",
    message: `Made, and granted whatever is left, for an object ${because}.`,
  };
}
