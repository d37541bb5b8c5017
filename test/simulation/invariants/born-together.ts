import { type Demand, gain, heldBeside, heldOf } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { poolChoices } from "./swaps-fit.ts";
import { pagesOfClaim, type TrueClaim } from "./true-claim.ts";
import type { TruePage } from "./true-page.ts";
import { amountOf, pageId } from "./true-part.ts";

/** A page as it was written last. */
interface Written {
  readonly atMs: number;
  /** Several, if it was written several times in one piece. */
  readonly versions: readonly [TruePage, ...TruePage[]];
  /** How much claims hold that came since by what it keeps for them. */
  readonly came: bigint;
}

/**
 * A claim that is stored as granted comes to the disk in one piece with the pages that count it, so that nobody ever sees them
 * without it; or its page has kept enough for it and those that came before it, and is still the newest. It holds all that it
 * asks for, and that fits beside what others hold and are promised by then.
 */
export class BornTogether implements Invariant {
  readonly name = "I13";
  readonly #written = new Map<string, Written>();

  *faults(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about === "page" && change.after !== undefined) yield* this.#write(change.after, change.atMs, truth);
    if (change.about !== "claim" || change.before !== undefined || change.after?.state !== "granted") return;
    const claim = change.after;
    const name = `claim ${claim.key.name} (${claim.uid}) is born granted at ${change.atMs} ms`;
    if (!holdsAll(claim)) yield `${name}, and does not hold all that it asks for`;
    for (const page of pagesOfClaim(claim)) {
      const written = this.#written.get(page);
      if (written === undefined || !truth.pages.has(page)) yield `${name}, and there is no page ${page}`;
      else if (!this.#isGrounded(claim, written, change.atMs))
        yield `${name}, page ${page} is of ${written.atMs} ms, keeps ${lastOf(written).ahead}, and ${written.came} came`;
      else if (!written.versions.some((version) => fitsBeside(claim, version, truth)))
        yield `${name}, and does not fit onto page ${page}`;
    }
  }

  *#write(page: TruePage, atMs: number, truth: QuotaTruth): Generator<string> {
    const before = this.#written.get(page.id);
    // Those that came by the last version may not be counted by this one yet, and then it keeps their place.
    const kept = page.ahead - (before?.came ?? 0n);
    if (kept > 0n && !isCovered(page, kept, truth)) yield `page ${page.id} keeps ${page.ahead}, which does not fit`;
    const versions: Written["versions"] = before?.atMs === atMs ? [...before.versions, page] : [page];
    this.#written.set(page.id, { atMs, versions, came: 0n });
  }

  /** What goes to the disk in one piece is there at the same time. */
  #isGrounded(claim: TrueClaim, written: Written, atMs: number): boolean {
    if (written.atMs === atMs) return true;
    const page = lastOf(written);
    const came = written.came + amountOf(askedOf(page, claim));
    this.#written.set(page.id, { ...written, came });
    return came <= page.ahead && claim.asked.every(({ dimensionKey }) => dimensionKey === "");
  }
}

function lastOf({ versions }: Written): TruePage {
  return versions.at(-1) ?? versions[0];
}

function holdsAll({ asked, held }: TrueClaim): boolean {
  return asked.every(({ resourceType, dimensionKey, amount }) =>
    held.some(
      (part) => part.resourceType === resourceType && part.dimensionKey === dimensionKey && part.amount === amount,
    ),
  );
}

/** Whether what a page keeps fits beside what is held and promised. */
function isCovered(page: TruePage, amount: bigint, truth: QuotaTruth): boolean {
  const kept: Demand = { dimensions: {}, dimensionKey: "", amount };
  const used = [...heldBeside(truth, page.id), ...page.reservations];
  return (poolChoices(page, truth) ?? []).some((pools) => gain(pools, used, [kept]) === amount);
}

/** Whether a claim fits onto a page beside the claims that are there by now, and what that page promises others. */
function fitsBeside(claim: TrueClaim, page: TruePage, truth: QuotaTruth): boolean {
  const promised = page.reservations.filter(({ uid }) => uid !== claim.uid);
  const counted = new Set([claim.uid, ...promised.map(({ uid }) => uid)]);
  const held = heldOf(truth, page.id).filter(({ uid }) => !counted.has(uid));
  const wanted = askedOf(page, claim);
  const choices = poolChoices(page, truth) ?? [];
  return choices.some((pools) => gain(pools, [...held, ...promised], wanted) === amountOf(wanted));
}

function askedOf(page: TruePage, { key, consumer, asked }: TrueClaim): TrueClaim["asked"] {
  return asked.filter(({ resourceType }) => pageId(key.plane, consumer, resourceType) === page.id);
}
