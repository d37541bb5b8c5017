import { quotaApiVersion } from "../../core/resources/well-known.ts";
import type { EventSubject, Happening } from "../../kube/events/core-event.ts";
import type { DecidedOn } from "./claim-changes.ts";
import type { ClaimStep } from "./next-step.ts";

export function subjectOf({ place, uid }: DecidedOn): EventSubject {
  const { namespace, name } = place;
  return { apiVersion: quotaApiVersion, kind: "ResourceClaim", namespace, name, uid };
}

/** What people are told of a claim that they will look for and not find. */
export function claimDeletedEvent(why: Extract<ClaimStep, { step: "delete" }>["why"], refusal: string): Happening {
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
      return { type: "Normal", reason: "ClaimReleased", message: "Deleted, because the object it was for is gone." };
    default:
      throw new Error(`unknown reason ${why satisfies never}`);
  }
}
