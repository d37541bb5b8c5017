import type { Invariant } from "./invariant.ts";
import type { TruePage } from "./true-page.ts";
import { amountOf } from "./true-part.ts";

const reservationsMax = 128;
const sharesMax = 50;
const bytesMax = 64 * 1024;

/** A page stays within its bounds, adds up, and says with every write who wrote it. */
export const pageBounds: Invariant = {
  name: "I8",
  *faults(change) {
    if (change.about !== "page" || change.after === undefined) return;
    const { before, after } = change;
    yield* sizeFaults(after);
    yield* sumFaults(after);
    const isRewritten = before !== undefined && before.writer !== "" && statusOf(before) !== statusOf(after);
    if (isRewritten && before.writer === after.writer) yield `page ${after.id} was written twice as ${after.writer}`;
  },
};

function* sizeFaults({ id, reservations, shares, bytes }: TruePage): Generator<string> {
  if (reservations.length > reservationsMax) yield `page ${id} has ${reservations.length} promises`;
  if (shares.length > sharesMax) yield `page ${id} lists ${shares.length} grants`;
  if (bytes >= bytesMax) yield `page ${id} takes ${bytes} bytes`;
}

function* sumFaults(page: TruePage): Generator<string> {
  const { id, reservations, shares, reserved, limit, grantCount } = page;
  if (reserved !== amountOf(reservations))
    yield `page ${id} says ${reserved} is promised, its promises say ${amountOf(reservations)}`;
  if (BigInt(shares.length) === grantCount && limit !== amountOf(shares))
    yield `page ${id} says the limit is ${limit}, its grants say ${amountOf(shares)}`;
  const sets = new Set(reservations.map(({ uid, set }) => `${uid} ${set}`));
  if (sets.size !== new Set(reservations.map(({ uid }) => uid)).size)
    yield `page ${id} promises a claim something twice`;
}

function statusOf({ limit, allocated, reservations, shares }: TruePage): string {
  const promised = reservations.map(({ uid, set, dimensionKey }) => `${uid} ${set} ${dimensionKey}`);
  const given = shares.map(({ namespace, name, amount, generation }) => `${namespace} ${name} ${amount} ${generation}`);
  return [limit, allocated, ...promised, ...given].join("\n");
}
