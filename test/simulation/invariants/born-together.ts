import { gain, heldOf } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { poolChoices } from "./swaps-fit.ts";
import { pagesOfClaim, type TrueClaim } from "./true-claim.ts";
import type { TruePage } from "./true-page.ts";
import { amountOf, pageId } from "./true-part.ts";

/**
 * A claim that is stored as granted comes to the disk in one piece with the pages that count it: nobody ever sees them without
 * it. It holds all that it asks for, and that fits beside what others hold and are promised by then.
 */
export class BornTogether implements Invariant {
  readonly name = "I13";
  /** What each page said when it was last written; several times, if it was written several times in one piece. */
  readonly #written = new Map<string, { readonly atMs: number; readonly versions: readonly TruePage[] }>();

  *faults(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about === "page" && change.after !== undefined) this.#note(change.after, change.atMs);
    if (change.about !== "claim" || change.before !== undefined || change.after?.state !== "granted") return;
    const claim = change.after;
    const name = `claim ${claim.key.name} (${claim.uid}) is born granted`;
    if (!holdsAll(claim)) yield `${name}, and does not hold all that it asks for`;
    for (const page of pagesOfClaim(claim)) {
      // What goes to the disk in one piece is there at the same time.
      const written = this.#written.get(page);
      if (written?.atMs !== change.atMs) yield `${name} at ${change.atMs} ms, page ${page} is of ${written?.atMs} ms`;
      else if (!written.versions.some((version) => fitsBeside(claim, version, truth)))
        yield `${name}, and does not fit onto page ${page}`;
    }
  }

  #note(page: TruePage, atMs: number): void {
    const before = this.#written.get(page.id);
    const versions = before?.atMs === atMs ? before.versions : [];
    this.#written.set(page.id, { atMs, versions: [...versions, page] });
  }
}

function holdsAll({ asked, held }: TrueClaim): boolean {
  return asked.every(({ resourceType, dimensionKey, amount }) =>
    held.some(
      (part) => part.resourceType === resourceType && part.dimensionKey === dimensionKey && part.amount === amount,
    ),
  );
}

/** Whether a claim fits onto a page beside the claims that are there by now, and what that page promises others. */
function fitsBeside(claim: TrueClaim, page: TruePage, truth: QuotaTruth): boolean {
  const promised = page.reservations.filter(({ uid }) => uid !== claim.uid);
  const counted = new Set([claim.uid, ...promised.map(({ uid }) => uid)]);
  const held = heldOf(truth, page.id).filter(({ uid }) => !counted.has(uid));
  const wanted = claim.asked.filter(({ resourceType }) => isOn(claim, resourceType, page));
  const choices = poolChoices(page, truth) ?? [];
  return choices.some((pools) => gain(pools, [...held, ...promised], wanted) === amountOf(wanted));
}

function isOn({ key, consumer }: TrueClaim, resourceType: string, page: TruePage): boolean {
  return pageId(key.plane, consumer, resourceType) === page.id;
}
