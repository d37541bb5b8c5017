import { gain, heldBeside } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import type { TruePool } from "./true-grant.ts";
import type { TruePage, TrueReservation, TrueShare } from "./true-page.ts";
import { amountOf } from "./true-part.ts";

/** A page promises only what fits: within its limit or, where there are dimensions, what its pools can cover in full. */
export const swapsFit: Invariant = {
  name: "I2",
  *faults(change, truth) {
    if (change.about !== "page" || change.after === undefined) return;
    const added = addedTo(change.after, change.before);
    if (added.length === 0) return;
    const choices = poolChoices(change.after, truth);
    if (choices === undefined) yield `page ${change.after.id} names grants that there never were`;
    else if (!choices.some((pools) => fits(change.after as TruePage, added, pools, truth)))
      yield `page ${change.after.id} promises what does not fit: ${pageText(change.after)}`;
  },
};

/** Promises that were not there before and are held to the limit. */
function addedTo(after: TruePage, before: TruePage | undefined): readonly TrueReservation[] {
  const known = new Set(before?.reservations.map(promiseKey));
  return after.reservations.filter((promise) => !promise.forced && !known.has(promiseKey(promise)));
}

function promiseKey({ uid, set, dimensionKey }: TrueReservation): string {
  return `${uid} ${set} ${dimensionKey}`;
}

function fits(
  page: TruePage,
  added: readonly TrueReservation[],
  pools: readonly TruePool[],
  truth: QuotaTruth,
): boolean {
  if (pools.every(({ requirements }) => requirements.length === 0))
    return page.allocated + amountOf(page.reservations) <= page.limit && page.limit === amountOf(pools);
  const others = page.reservations.filter((promise) => !added.includes(promise));
  return gain(pools, [...heldBeside(truth, page.id), ...others], added) === amountOf(added);
}

/**
 * What a page may have gone by: the pools of the grants that it names. A name that was used again has several answers.
 * Undefined when there was no such grant, or it never gave so much.
 */
export function poolChoices(page: TruePage, truth: QuotaTruth): readonly (readonly TruePool[])[] | undefined {
  const each = page.shares.map((share) => sharePools(page, share, truth));
  if (each.some((choices) => choices.length === 0)) return undefined;
  return each.reduce<readonly (readonly TruePool[])[]>(
    (choices, further) => choices.flatMap((pools) => further.map((more) => [...pools, ...more])),
    [[]],
  );
}

function sharePools(page: TruePage, share: TrueShare, truth: QuotaTruth): readonly (readonly TruePool[])[] {
  return truth
    .grantsOnce(page.key.plane, share.namespace, share.name, share.generation)
    .filter(({ consumer }) => consumer === page.consumer)
    .map(({ pools }) => pools.filter(({ resourceType }) => resourceType === page.resourceType))
    .filter((pools) => amountOf(pools) === share.amount);
}

function pageText({ limit, allocated, reservations, writer }: TruePage): string {
  return `limit ${limit}, allocated ${allocated}, promised ${amountOf(reservations)}, written by ${writer}`;
}
