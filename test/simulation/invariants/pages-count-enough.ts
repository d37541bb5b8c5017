import { heldBeside } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { pagesOfClaim } from "./true-claim.ts";
import { amountOf } from "./true-part.ts";

/**
 * On each page, granted claims without a promise there hold at most what the page says is allocated. One that somebody
 * deleted, and one that was only just made, says nothing yet, and promises nothing.
 */
export const pagesCountEnough: Invariant = {
  name: "I1",
  *faults(change, truth) {
    for (const page of touchedPages(change)) {
      const stored = truth.pages.get(page);
      if (stored === undefined || stored.writer === "") continue;
      const held = amountOf(heldBeside(truth, page));
      if (held > stored.allocated) yield `page ${page} counts ${stored.allocated}, but granted claims hold ${held}`;
    }
    yield* removalFaults(change, truth);
  },
};

/** A page holds promises for claims that wait for them: it must not go before these do. */
function* removalFaults(change: QuotaChange, truth: QuotaTruth): Generator<string> {
  if (change.about !== "page" || change.before === undefined || change.after !== undefined) return;
  for (const { uid } of change.before.reservations) {
    if (truth.claimByUid(uid) !== undefined) yield `page ${change.before.id} is gone, with a promise to claim ${uid}`;
  }
}

function touchedPages(change: QuotaChange): Iterable<string> {
  if (change.about === "page") return [(change.after ?? change.before)?.id ?? ""];
  if (change.about !== "claim") return [];
  const claim = change.after ?? change.before;
  return claim === undefined ? [] : pagesOfClaim(claim);
}
