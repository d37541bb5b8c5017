import { type Condition, type ConditionState, findCondition } from "@milo-quota/kubernetes/protocol/condition.ts";
import type { BucketContent } from "./ledger-bucket.ts";

/** Whether use exceeds the limit, and why: capacity was taken away, or something had to be counted that did not fit. */
export function overLimit({ figures, reservations }: BucketContent, before: readonly Condition[]): ConditionState {
  if (figures.overage === 0n) {
    return { type: "OverLimit", status: "False", reason: "WithinLimit", message: "Use is within the limit" };
  }
  const wasForced = findCondition(before, "OverLimit")?.reason === "Forced";
  const isForced = wasForced || reservations.some(({ forced }) => forced);
  return isForced
    ? {
        type: "OverLimit",
        status: "True",
        reason: "Forced",
        message: "Objects that exist already are counted although they do not fit",
      }
    : {
        type: "OverLimit",
        status: "True",
        reason: "LimitLowered",
        message: "The limit was lowered below what is in use; nothing is taken away, and nothing more is granted",
      };
}
