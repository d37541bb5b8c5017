import type { Invariant } from "./invariant.ts";
import { amountOf } from "./stored-amount.ts";
import type { StoredBucket } from "./stored-bucket.ts";

const reservationsMax = 128;
const contributionsMax = 50;
const bytesMax = 64 * 1024;

/** I8: a ledger bucket stays within its size limits, its sums are right, and every write has a new writer stamp. */
export const bucketBounds: Invariant = {
  name: "I8",
  *violations(change) {
    if (change.about !== "bucket" || change.after === undefined) return;
    const { before, after } = change;
    yield* sizeViolations(after);
    yield* sumViolations(after);
    const isRewritten = before !== undefined && before.writer !== "" && statusOf(before) !== statusOf(after);
    if (isRewritten && before.writer === after.writer) yield `bucket ${after.id} was written twice as ${after.writer}`;
  },
};

function* sizeViolations({ id, reservations, contributions, bytes }: StoredBucket): Generator<string> {
  if (reservations.length > reservationsMax) yield `bucket ${id} has ${reservations.length} reservations`;
  if (contributions.length > contributionsMax) yield `bucket ${id} lists ${contributions.length} grants`;
  if (bytes >= bytesMax) yield `bucket ${id} takes ${bytes} bytes`;
}

function* sumViolations(bucket: StoredBucket): Generator<string> {
  const { id, reservations, contributions, reserved, limit, grantCount } = bucket;
  if (reserved !== amountOf(reservations))
    yield `bucket ${id} has reserved ${reserved}, but its reservations sum to ${amountOf(reservations)}`;
  if (BigInt(contributions.length) === grantCount && limit !== amountOf(contributions))
    yield `bucket ${id} has limit ${limit}, but its grants sum to ${amountOf(contributions)}`;
  const attempts = new Set(reservations.map(({ uid, attempt }) => `${uid} ${attempt}`));
  if (attempts.size !== new Set(reservations.map(({ uid }) => uid)).size)
    yield `bucket ${id} has reservations of two attempts for one claim`;
}

function statusOf({ limit, allocated, reservations, contributions }: StoredBucket): string {
  const reserved = reservations.map(({ uid, attempt, dimensionKey }) => `${uid} ${attempt} ${dimensionKey}`);
  const given = contributions.map(
    ({ namespace, name, amount, generation }) => `${namespace} ${name} ${amount} ${generation}`,
  );
  return [limit, allocated, ...reserved, ...given].join("\n");
}
