import { type Condition, type ConditionState, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { BucketContent } from "./ledger-bucket.ts";

/** The OverLimit condition: a limit was lowered below the usage, or a claim was forced for an existing object. */
export function overLimit({ figures, reservations }: BucketContent, before: readonly Condition[]): ConditionState {
  if (figures.overage === 0n) {
    return { type: "OverLimit", status: "False", reason: "WithinLimit", message: "Usage is within the limit" };
  }
  const wasForced = findCondition(before, "OverLimit")?.reason === "Forced";
  const isForced = wasForced || reservations.some(({ forced }) => forced);
  return isForced
    ? {
        type: "OverLimit",
        status: "True",
        reason: "Forced",
        message: "Existing objects are counted although they exceed the limit",
      }
    : {
        type: "OverLimit",
        status: "True",
        reason: "LimitLowered",
        message: "The limit was lowered below the usage; existing claims are kept, and no more quota is granted",
      };
}
