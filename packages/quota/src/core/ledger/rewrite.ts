import { amountMax } from "../resources/fields/amount.ts";
import { least } from "./arithmetic.ts";
import type { ConsumerLedger } from "./consumer-ledger.ts";
import { type OpenClaim, type Page, type PageContent, type Reservation, reservationBytes } from "./page.ts";
import type { Figures, PromisedParts } from "./page-book.ts";
import type { GrantShare } from "./pools.ts";
import type { Decision } from "./settle.ts";

/** Whether what is known of claims is all there is, as of the page; else a claim nobody heard of may be a new one. */
export type View = "complete" | "partial";

/** What a write changes, beside what has become of the claims. */
export interface Changes {
  readonly decisions: readonly Decision[];
  /** Sets that recovery found incomplete, and fenced. */
  readonly dropped: ReadonlySet<string>;
  /** For the new promises. */
  readonly expirationTime: string;
}

export const noChanges: Changes = { decisions: [], dropped: new Set(), expirationTime: "" };

/** Takes over the promises of a page that was just read. What a complete view does not know is gone. */
export function adoptPage(ledger: ConsumerLedger, page: Page, view: View): void {
  for (const { claim } of page.content.reservations) {
    if (view === "complete" && ledger.knowledgeOf(claim.uid) === undefined) ledger.learn(claim.uid, { state: "gone" });
  }
  const open = page.content.reservations.filter((reservation) => fateOf(ledger, reservation) === "keep");
  ledger.book(page.resourceType).setPromises(promisesOf(ledger, page.resourceType, open));
}

/**
 * What becomes of a promise with the next write. One that was kept goes into `allocated`; one whose claim was denied or is
 * gone is released; any other stays, for as long as it takes. Age is no reason.
 */
export function fateOf(ledger: ConsumerLedger, { claim }: Reservation): "keep" | "fold" | "release" {
  const state = ledger.knowledgeOf(claim.uid)?.state;
  switch (state) {
    case undefined:
    case "pending":
      return "keep";
    case "granted":
      return "fold";
    case "denied":
    case "gone":
      return "release";
    default:
      throw new Error(`unknown state ${state satisfies never}`);
  }
}

/**
 * The content of a page: its open promises, those the decisions add, and figures that count all of them. `allocated` comes
 * from the claims each time, never from what the page said before.
 */
export function contentOf(ledger: ConsumerLedger, page: Page, changes: Changes): PageContent {
  const { decisions, dropped, expirationTime } = changes;
  const book = ledger.book(page.resourceType);
  const kept = page.content.reservations.filter(({ claim, set }) => book.hasPromise(claim.uid) && !dropped.has(set));
  const added = decisions.flatMap((decision) => {
    // A claim may have ended since it was decided: what is not promised any more is not written down.
    const { outcome, claim } = decision;
    const isPromised = outcome === "reserve" && book.hasPromise(claim.claim.uid);
    return isPromised ? newReservations(claim, page.resourceType, { set: decision.set, expirationTime }) : [];
  });
  const reservations = added.length === 0 ? kept : [...kept, ...added];
  const { grantCount, shares } = book.capacity;
  const figures = shown(book.figures());
  return { figures, claimCount: book.claimCount, grantCount, shares, reservations };
}

/** Grants may add up to more than an int64; what is shown stops there, what is decided does not. */
export function shown({ limit, allocated, reserved, available, overage }: Figures): Figures {
  return {
    limit: least(limit, amountMax),
    allocated: least(allocated, amountMax),
    reserved: least(reserved, amountMax),
    available: least(available, amountMax),
    overage: least(overage, amountMax),
  };
}

/** Whether a page says all of this already: nothing to change, nothing written. */
export function isCurrent({ content: stored }: Page, next: PageContent): boolean {
  return (
    sameFigures(stored.figures, next.figures) &&
    stored.claimCount === next.claimCount &&
    stored.grantCount === next.grantCount &&
    sameList(stored.shares, next.shares, sameShare) &&
    sameList(stored.reservations, next.reservations, sameReservation)
  );
}

function sameFigures(left: Figures, right: Figures): boolean {
  return (
    left.limit === right.limit &&
    left.allocated === right.allocated &&
    left.reserved === right.reserved &&
    left.available === right.available &&
    left.overage === right.overage
  );
}

function sameList<Item>(
  left: readonly Item[],
  right: readonly Item[],
  same: (one: Item, other: Item) => boolean,
): boolean {
  return left.length === right.length && left.every((item, at) => same(item, right[at] as Item));
}

function sameShare(left: GrantShare, right: GrantShare): boolean {
  return (
    left.name === right.name &&
    left.namespace === right.namespace &&
    left.amount === right.amount &&
    left.generation === right.generation
  );
}

function sameReservation(left: Reservation, right: Reservation): boolean {
  return left.claim.uid === right.claim.uid && left.set === right.set && left.dimensionKey === right.dimensionKey;
}

function newReservations(
  { claim, parts, standing }: OpenClaim,
  resourceType: string,
  { set, expirationTime }: Pick<Reservation, "set" | "expirationTime">,
): readonly Reservation[] {
  const own = parts.filter((part) => part.resourceType === resourceType);
  const forced = standing === "forced";
  return own.map(({ amount, dimensionKey }) => ({ claim, amount, dimensionKey, set, forced, expirationTime }));
}

function* promisesOf(
  ledger: ConsumerLedger,
  resourceType: string,
  reservations: readonly Reservation[],
): Generator<PromisedParts> {
  const book = ledger.book(resourceType);
  for (const uid of new Set(reservations.map(({ claim }) => claim.uid))) {
    const own = reservations.filter(({ claim }) => claim.uid === uid);
    yield {
      uid,
      holdings: own.map(({ dimensionKey, amount }) => ({ slot: book.slot(dimensionKey), amount })),
      bytes: own.reduce((sum, { claim, dimensionKey }) => sum + reservationBytes(claim, dimensionKey), 0),
    };
  }
}
