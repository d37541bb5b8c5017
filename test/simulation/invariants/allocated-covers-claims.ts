import { heldWithoutReservation } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { amountOf } from "./stored-amount.ts";
import { bucketsOfClaim } from "./stored-claim.ts";

/**
 * I1: in each ledger bucket, granted claims without a reservation there hold at most `status.allocated`. A missing bucket and
 * a new one without a status are exempt: they have no reservations.
 */
export const allocatedCoversClaims: Invariant = {
  name: "I1",
  *violations(change, truth) {
    for (const bucket of touchedBuckets(change)) {
      const stored = truth.buckets.get(bucket);
      if (stored === undefined || stored.writer === "") continue;
      const held = amountOf(heldWithoutReservation(truth, bucket));
      if (held > stored.allocated) yield `bucket ${bucket} counts ${stored.allocated}, but granted claims hold ${held}`;
    }
    yield* removalViolations(change, truth);
  },
};

/** A bucket must not be deleted while it has reservations of existing claims. */
function* removalViolations(change: QuotaChange, truth: QuotaTruth): Generator<string> {
  if (change.about !== "bucket" || change.before === undefined || change.after !== undefined) return;
  for (const { uid } of change.before.reservations) {
    if (truth.claimByUid(uid) !== undefined)
      yield `bucket ${change.before.id} is deleted with a reservation of claim ${uid}`;
  }
}

function touchedBuckets(change: QuotaChange): Iterable<string> {
  if (change.about === "bucket") return [(change.after ?? change.before)?.id ?? ""];
  if (change.about !== "claim") return [];
  const claim = change.after ?? change.before;
  return claim === undefined ? [] : bucketsOfClaim(claim);
}
