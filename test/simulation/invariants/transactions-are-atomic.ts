import { type Demand, gain, heldOf } from "./capacity.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { poolChoices } from "./reservations-fit.ts";
import { amountOf, bucketId } from "./stored-amount.ts";
import type { StoredBucket } from "./stored-bucket.ts";
import { bucketsOfClaim, objectsOfClaim, type StoredClaim } from "./stored-claim.ts";

/**
 * I13: a claim that is created as granted comes in one transaction with its object and with the buckets that count it, holds
 * all that it requests, and fits besides all others. A claim that is deleted with its object comes with new versions of its
 * buckets. `changes` are all writes of one transaction, `truth` is the state after them.
 */
export function* transactionViolations(changes: readonly QuotaChange[], truth: QuotaTruth): Generator<string> {
  const buckets = new Map(
    changes.flatMap((change) =>
      change.about === "bucket" && change.after ? [[change.after.id, change.after] as const] : [],
    ),
  );
  const born = changes.flatMap((change) => (change.about === "claim" && isBornGranted(change) ? [change.after] : []));
  const written = new Set(
    changes.flatMap((change) => (change.about === "object" && change.after ? [uidOf(change)] : [])),
  );
  for (const claim of born) {
    const name = `claim ${claim.key.name} (${claim.uid}) is stored as granted`;
    if (!holdsAll(claim)) yield `${name} but does not hold all that it requests`;
    if (!objectsOfClaim(claim).some((uid) => written.has(uid))) yield `${name} but its object is not stored with it`;
    for (const bucket of bucketsOfClaim(claim)) if (!buckets.has(bucket)) yield `${name} without bucket ${bucket}`;
  }
  for (const bucket of buckets.values()) yield* fitViolations(bucket, born, truth);
  const gone = new Set(
    changes.flatMap((change) => (change.about === "object" && !change.after ? [uidOf(change)] : [])),
  );
  for (const change of changes) {
    if (change.about !== "claim" || change.after !== undefined || change.before?.state !== "granted") continue;
    if (!objectsOfClaim(change.before).some((uid) => gone.has(uid))) continue;
    for (const bucket of bucketsOfClaim(change.before)) {
      if (truth.buckets.has(bucket) && !buckets.has(bucket))
        yield `claim ${change.before.key.name} is deleted without an update of bucket ${bucket}`;
    }
  }
}

function isBornGranted(
  change: QuotaChange,
): change is Extract<QuotaChange, { about: "claim" }> & { after: StoredClaim } {
  return change.about === "claim" && change.before === undefined && change.after?.state === "granted";
}

function uidOf({ before, after }: Extract<QuotaChange, { about: "object" }>): string {
  return (after ?? before)?.object.metadata.uid ?? "";
}

function holdsAll({ requested, held }: StoredClaim): boolean {
  return requested.every(({ resourceType, dimensionKey, amount }) =>
    held.some(
      (part) => part.resourceType === resourceType && part.dimensionKey === dimensionKey && part.amount === amount,
    ),
  );
}

/** Whether the new claims fit into a bucket besides its other claims and reservations. */
function* fitViolations(bucket: StoredBucket, born: readonly StoredClaim[], truth: QuotaTruth): Generator<string> {
  const wanted = born.flatMap((claim) => requestedFrom(bucket, claim));
  if (wanted.length === 0) return;
  const uids = new Set(born.map(({ uid }) => uid));
  const reserved = new Set(bucket.reservations.map(({ uid }) => uid));
  const others: readonly Demand[] = [
    ...heldOf(truth, bucket.id).filter(({ uid }) => !uids.has(uid) && !reserved.has(uid)),
    ...bucket.reservations,
  ];
  const choices = poolChoices(bucket, truth) ?? [];
  if (!choices.some((pools) => gain(pools, others, wanted) === amountOf(wanted)))
    yield `bucket ${bucket.id} counts claims that do not fit: limit ${bucket.limit}, allocated ${bucket.allocated}`;
}

function requestedFrom(bucket: StoredBucket, { key, consumer, requested }: StoredClaim): StoredClaim["requested"] {
  return requested.filter(({ resourceType }) => bucketId(key.plane, consumer, resourceType) === bucket.id);
}
