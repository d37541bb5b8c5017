import type { EventContent, InvolvedObject } from "@milo-quota/kubernetes/client/events/core-event.ts";
import { quotaApiVersion } from "../../../core/resources/well-known.ts";
import type { ForcedClaim } from "../forced/missing-claim-creator.ts";
import type { ClaimVersion } from "./claim-writer.ts";
import type { ClaimStep } from "./next-step.ts";

export function subjectOf({ key, uid }: ClaimVersion): InvolvedObject {
  const { namespace, name } = key;
  return { apiVersion: quotaApiVersion, kind: "ResourceClaim", namespace, name, uid };
}

/** Explains why a claim was deleted; undefined if its object was deleted as well. */
export function claimDeletedEvent(
  reason: Extract<ClaimStep, { step: "delete" }>["reason"],
  denial: string,
): EventContent | undefined {
  switch (reason) {
    case "denied":
      return {
        type: "Warning",
        reason: "DeniedClaimDeleted",
        message: `Deleted after it was denied. ${denial}`.trim(),
      };
    case "unused":
      return {
        type: "Normal",
        reason: "UnusedClaimDeleted",
        message: "Deleted because its object was never stored.",
      };
    case "released":
      return undefined;
    default:
      throw new Error(`unknown reason ${reason satisfies never}`);
  }
}

/** Explains why a claim was granted above the limit. */
export function claimForcedEvent(reason: ForcedClaim["reason"]): EventContent {
  const object = {
    adopted: "an object that is older than its policy, which adopts existing objects",
    repaired: "an existing object that had no claim",
    grown: "an existing object that needs more than its claims hold",
  }[reason];
  return {
    type: "Normal",
    reason: "ClaimForced",
    message: `Created for ${object}; granted without checking the limit.`,
  };
}
