import { gain, heldWithoutReservation } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import { amountOf } from "./stored-amount.ts";
import type { StoredBucket, StoredContribution, StoredReservation } from "./stored-bucket.ts";
import type { StoredPool } from "./stored-grant.ts";

/** I2: new reservations fit: within the limit or, with dimensions, the pools cover them in full. */
export const reservationsFit: Invariant = {
  name: "I2",
  *violations(change, truth) {
    if (change.about !== "bucket" || change.after === undefined) return;
    const added = addedReservations(change.after, change.before);
    if (added.length === 0) return;
    const choices = poolChoices(change.after, truth);
    if (choices === undefined) yield `bucket ${change.after.id} refers to grants that never existed`;
    else if (!choices.some((pools) => fits(change.after as StoredBucket, added, pools, truth)))
      yield `bucket ${change.after.id} has a new reservation that does not fit: ${bucketText(change.after)}`;
  },
};

/** New reservations that are subject to the limit. */
function addedReservations(after: StoredBucket, before: StoredBucket | undefined): readonly StoredReservation[] {
  const known = new Set(before?.reservations.map(reservationKey));
  return after.reservations.filter((reservation) => !reservation.forced && !known.has(reservationKey(reservation)));
}

function reservationKey({ uid, attempt, dimensionKey }: StoredReservation): string {
  return `${uid} ${attempt} ${dimensionKey}`;
}

function fits(
  bucket: StoredBucket,
  added: readonly StoredReservation[],
  pools: readonly StoredPool[],
  truth: QuotaTruth,
): boolean {
  if (pools.every(({ requirements }) => requirements.length === 0))
    return bucket.allocated + amountOf(bucket.reservations) <= bucket.limit && bucket.limit === amountOf(pools);
  const others = bucket.reservations.filter((reservation) => !added.includes(reservation));
  return gain(pools, [...heldWithoutReservation(truth, bucket.id), ...others], added) === amountOf(added);
}

/**
 * The pools of the grants that a bucket refers to. There are several choices if the name of a grant was used again.
 * Undefined if a grant never existed with that generation and amount.
 */
export function poolChoices(bucket: StoredBucket, truth: QuotaTruth): readonly (readonly StoredPool[])[] | undefined {
  const each = bucket.contributions.map((contribution) => contributionPools(bucket, contribution, truth));
  if (each.some((choices) => choices.length === 0)) return undefined;
  return each.reduce<readonly (readonly StoredPool[])[]>(
    (choices, further) => choices.flatMap((pools) => further.map((more) => [...pools, ...more])),
    [[]],
  );
}

function contributionPools(
  bucket: StoredBucket,
  contribution: StoredContribution,
  truth: QuotaTruth,
): readonly (readonly StoredPool[])[] {
  return truth
    .grantVersions(bucket.key.plane, contribution.namespace, contribution.name, contribution.generation)
    .filter(({ consumer }) => consumer === bucket.consumer)
    .map(({ pools }) => pools.filter(({ resourceType }) => resourceType === bucket.resourceType))
    .filter((pools) => amountOf(pools) === contribution.amount);
}

function bucketText({ limit, allocated, reservations, writer }: StoredBucket): string {
  return `limit ${limit}, allocated ${allocated}, reserved ${amountOf(reservations)}, written by ${writer}`;
}
