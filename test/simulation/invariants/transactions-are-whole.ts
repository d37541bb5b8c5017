import { type Demand, gain, heldOf } from "./capacity.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { poolChoices } from "./swaps-fit.ts";
import { objectsOfClaim, pagesOfClaim, type TrueClaim } from "./true-claim.ts";
import type { TruePage } from "./true-page.ts";
import { amountOf, pageId } from "./true-part.ts";

/**
 * What is stored in one transaction belongs together: a claim that is stored as granted comes with its object and with the
 * pages that count it, holds all that it asks for, and fits beside all others; a claim that goes with its object goes with a
 * new version of its pages. `changes` are all writes of one transaction, `truth` is what they led to.
 */
export function* transactionFaults(changes: readonly QuotaChange[], truth: QuotaTruth): Generator<string> {
  const pages = new Map(
    changes.flatMap((change) =>
      change.about === "page" && change.after ? [[change.after.id, change.after] as const] : [],
    ),
  );
  const born = changes.flatMap((change) => (change.about === "claim" && isBornGranted(change) ? [change.after] : []));
  const written = new Set(
    changes.flatMap((change) => (change.about === "object" && change.after ? [uidOf(change)] : [])),
  );
  for (const claim of born) {
    const name = `claim ${claim.key.name} (${claim.uid}) is stored as granted`;
    if (!holdsAll(claim)) yield `${name}, and does not hold all that it asks for`;
    if (!objectsOfClaim(claim).some((uid) => written.has(uid))) yield `${name}, and its object is not stored with it`;
    for (const page of pagesOfClaim(claim)) if (!pages.has(page)) yield `${name} without page ${page}`;
  }
  for (const page of pages.values()) yield* fitFaults(page, born, truth);
  const gone = new Set(
    changes.flatMap((change) => (change.about === "object" && !change.after ? [uidOf(change)] : [])),
  );
  for (const change of changes) {
    if (change.about !== "claim" || change.after !== undefined || change.before?.state !== "granted") continue;
    if (!objectsOfClaim(change.before).some((uid) => gone.has(uid))) continue;
    for (const page of pagesOfClaim(change.before)) {
      if (truth.pages.has(page) && !pages.has(page)) yield `claim ${change.before.key.name} goes without page ${page}`;
    }
  }
}

function isBornGranted(change: QuotaChange): change is Extract<QuotaChange, { about: "claim" }> & { after: TrueClaim } {
  return change.about === "claim" && change.before === undefined && change.after?.state === "granted";
}

function uidOf({ before, after }: Extract<QuotaChange, { about: "object" }>): string {
  return (after ?? before)?.object.metadata.uid ?? "";
}

function holdsAll({ asked, held }: TrueClaim): boolean {
  return asked.every(({ resourceType, dimensionKey, amount }) =>
    held.some(
      (part) => part.resourceType === resourceType && part.dimensionKey === dimensionKey && part.amount === amount,
    ),
  );
}

/** Whether all claims that come with a page fit onto it, beside those that were there and what is promised. */
function* fitFaults(page: TruePage, born: readonly TrueClaim[], truth: QuotaTruth): Generator<string> {
  const wanted = born.flatMap((claim) => askedOf(page, claim));
  if (wanted.length === 0) return;
  const uids = new Set(born.map(({ uid }) => uid));
  const promised = new Set(page.reservations.map(({ uid }) => uid));
  const others: readonly Demand[] = [
    ...heldOf(truth, page.id).filter(({ uid }) => !uids.has(uid) && !promised.has(uid)),
    ...page.reservations,
  ];
  const choices = poolChoices(page, truth) ?? [];
  if (!choices.some((pools) => gain(pools, others, wanted) === amountOf(wanted)))
    yield `page ${page.id} counts claims that do not fit: limit ${page.limit}, allocated ${page.allocated}`;
}

function askedOf(page: TruePage, { key, consumer, asked }: TrueClaim): TrueClaim["asked"] {
  return asked.filter(({ resourceType }) => pageId(key.plane, consumer, resourceType) === page.id);
}
