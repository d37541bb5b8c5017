import type { Invariant } from "./invariant.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import { bucketId, type StoredAmount } from "./stored-amount.ts";
import type { StoredBucket } from "./stored-bucket.ts";
import type { StoredClaim } from "./stored-claim.ts";

/**
 * I3: a claim is decided once, and granted only while its buckets have all reservations of one attempt. Claims that are
 * created as granted are checked by I13.
 */
export const decisionsAreFinal: Invariant = {
  name: "I3",
  *violations(change, truth) {
    if (change.about !== "claim" || change.after === undefined) return;
    const { before, after } = change;
    const isSame = before !== undefined && before.uid === after.uid;
    if (before !== undefined && !isSame) yield `claim ${after.key.name} changed its UID without a delete`;
    if (isSame && isDecided(before)) yield* revisionViolations(before, after);
    else if (before !== undefined && after.state === "granted" && !hasCompleteReservations(after, truth))
      yield `claim ${after.key.name} (${after.uid}) is granted without all reservations of one attempt`;
    if (after.state === "granted") yield* holdingViolations(after);
  },
};

function isDecided({ state }: StoredClaim): boolean {
  return state === "granted" || state === "denied";
}

/** After the decision, allocations may shrink; nothing else changes. */
function* revisionViolations(before: StoredClaim, after: StoredClaim): Generator<string> {
  if (before.state !== after.state) yield `claim ${after.key.name} was ${before.state} and is ${after.state} now`;
  for (const part of after.held) {
    const had = partLike(before.held, part)?.amount ?? 0n;
    if (part.amount > had) yield `claim ${after.key.name} grew from ${had} to ${part.amount}`;
  }
}

/** A claim never holds more than it requests. */
function* holdingViolations({ key, requested, held }: StoredClaim): Generator<string> {
  for (const part of held) {
    const wanted = partLike(requested, part)?.amount ?? 0n;
    if (part.amount > wanted) yield `claim ${key.name} holds ${part.amount} but requests ${wanted}`;
  }
}

function partLike(
  parts: readonly StoredAmount[],
  { resourceType, dimensionKey }: StoredAmount,
): StoredAmount | undefined {
  return parts.find((part) => part.resourceType === resourceType && part.dimensionKey === dimensionKey);
}

/** Whether the buckets of a claim have reservations of one attempt for all its requests. */
function hasCompleteReservations(claim: StoredClaim, truth: QuotaTruth): boolean {
  const buckets = claim.requested.map(({ resourceType }) =>
    truth.buckets.get(bucketId(claim.key.plane, claim.consumer, resourceType)),
  );
  const attempts = new Set(
    buckets
      .flatMap((bucket) => bucket?.reservations.filter(({ uid }) => uid === claim.uid) ?? [])
      .map(({ attempt }) => attempt),
  );
  return [...attempts].some((attempt) =>
    claim.requested.every((part, at) => isReservedBy(buckets[at], claim.uid, attempt, part)),
  );
}

function isReservedBy(bucket: StoredBucket | undefined, uid: string, attempt: string, part: StoredAmount): boolean {
  const own =
    bucket?.reservations.filter((reservation) => reservation.uid === uid && reservation.attempt === attempt) ?? [];
  return own.some(({ dimensionKey, amount }) => dimensionKey === part.dimensionKey && amount === part.amount);
}
