import type { ClaimPart } from "./claim-knowledge.ts";
import { byBook, type ConsumerLedger } from "./consumer-ledger.ts";
import { type OpenClaim, pagesOf, reservationBytes } from "./page.ts";
import { type Figures, fitsPage, type PageBook, type PromisedParts, type Shortage } from "./page-book.ts";

/** A part of a claim that did not fit, with the figures that say why. */
export interface ShortPart {
  readonly part: ClaimPart;
  readonly figures: Figures;
}

export type Decision =
  /** Everything fits, or is forced: promise it on every page of the claim, under one set. */
  | { readonly outcome: "reserve"; readonly claim: OpenClaim; readonly set: string }
  /** Something does not fit. */
  | { readonly outcome: "deny"; readonly claim: OpenClaim; readonly short: readonly ShortPart[] }
  /** A page has no space for another promise: its turn comes after this batch. */
  | { readonly outcome: "wait"; readonly claim: OpenClaim }
  /** Its promises would not even fit onto an empty page. Claims are checked for this when they are made. */
  | { readonly outcome: "oversized"; readonly claim: OpenClaim };

/**
 * Decides claims in the order given, each as a whole; forced ones first, so that what fits is judged beside what is there
 * anyway. Claims that are being deleted, decided, or hold a promise on any page are passed over. What is reserved is
 * promised in the books from then on; it counts for everybody else only once the pages are stored.
 */
export function settle(ledger: ConsumerLedger, claims: Iterable<OpenClaim>, newSet: () => string): readonly Decision[] {
  const crowded = new Set<string>();
  const decisions: Decision[] = [];
  const all = [...claims];
  for (const claim of forcedFirst(all)) {
    if (!isSettleable(ledger, claim)) continue;
    const decision = decide(ledger, claim, crowded);
    decisions.push(decision === "reserve" ? { outcome: "reserve", claim, set: newSet() } : decision);
  }
  return decisions;
}

function forcedFirst(claims: readonly OpenClaim[]): readonly OpenClaim[] {
  const forced = claims.filter(isForced);
  return forced.length === 0 ? claims : [...forced, ...claims.filter((claim) => !isForced(claim))];
}

/**
 * What of a claim would not fit now. A denial is written after the pages of its batch, and by then what stood in its way
 * may be gone; then it waits for the next batch instead. Undefined for a claim that is not to be decided any more.
 */
export function shortParts(ledger: ConsumerLedger, claim: OpenClaim): readonly ShortPart[] | undefined {
  if (!isSettleable(ledger, claim)) return undefined;
  const wanted = wantedParts(ledger, claim);
  const short = tryAll(wanted);
  if (short.length === 0) for (const book of wanted.keys()) book.withdraw(claim.claim.uid);
  return short;
}

/** Whether a claim would fit now. */
export function fits(ledger: ConsumerLedger, claim: OpenClaim): boolean {
  const [only] = claim.parts;
  const isAlone = only !== undefined && claim.parts.length === 1;
  if (isAlone && ledger.book(only.resourceType).hasFree(only.dimensionKey, only.amount))
    return isSettleable(ledger, claim);
  return shortParts(ledger, claim)?.length === 0;
}

/**
 * Grants a claim at once if all of it fits: it is stored as granted together with the pages that count it, and needs no
 * promise. Whether it fits.
 */
export function grantAtOnce(ledger: ConsumerLedger, claim: OpenClaim): boolean {
  if (!isSettleable(ledger, claim) || tryAll(wantedParts(ledger, claim)).length > 0) return false;
  ledger.learn(claim.claim.uid, { state: "granted", parts: claim.parts });
  return true;
}

/** Whether a claim is pending and nothing is promised to it anywhere. */
export function isSettleable(ledger: ConsumerLedger, claim: OpenClaim): boolean {
  const known = ledger.knowledgeOf(claim.claim.uid);
  if (known !== undefined && (known.state !== "pending" || known.deleting)) return false;
  return !pagesOf(claim).some((resourceType) => ledger.book(resourceType).hasPromise(claim.claim.uid));
}

function isForced({ standing }: OpenClaim): boolean {
  return standing === "forced";
}

function decide(ledger: ConsumerLedger, claim: OpenClaim, crowded: Set<string>): Decision | "reserve" {
  if (partsByPage(claim).some(([, parts]) => !fitsPage(parts.length, bytesOf(claim, parts))))
    return { outcome: "oversized", claim };
  if (!hasRoom(ledger, claim, crowded)) return { outcome: "wait", claim };
  const wanted = wantedParts(ledger, claim);
  if (isForced(claim)) {
    for (const [book, promised] of wanted) book.promiseAnyway(promised);
    return "reserve";
  }
  const short = tryAll(wanted);
  return short.length === 0 ? "reserve" : { outcome: "deny", claim, short };
}

/** Promises all, or nothing; returns what did not fit, on every page. */
export function tryAll(wanted: ReadonlyMap<PageBook, PromisedParts>): readonly ShortPart[] {
  const short = [...wanted].flatMap(([book, promised]) => book.promise(promised));
  if (short.length > 0) for (const [book, { uid }] of wanted) book.withdraw(uid);
  return short.map(shortPart);
}

/** Once a claim has to wait for a page, later claims on that page wait behind it, however small they are. */
function hasRoom(ledger: ConsumerLedger, claim: OpenClaim, crowded: Set<string>): boolean {
  const isCrowded = partsByPage(claim).some(
    ([resourceType, parts]) =>
      crowded.has(resourceType) || !ledger.book(resourceType).hasRoomFor(parts.length, bytesOf(claim, parts)),
  );
  if (isCrowded) for (const resourceType of pagesOf(claim)) crowded.add(resourceType);
  return !isCrowded;
}

function partsByPage(claim: OpenClaim): readonly (readonly [resourceType: string, parts: readonly ClaimPart[]])[] {
  const [only] = claim.parts;
  if (only !== undefined && claim.parts.length === 1) return [[only.resourceType, claim.parts]];
  return pagesOf(claim).map((type) => [type, claim.parts.filter((part) => part.resourceType === type)] as const);
}

function wantedParts(ledger: ConsumerLedger, claim: OpenClaim): ReadonlyMap<PageBook, PromisedParts> {
  const wanted = new Map<PageBook, PromisedParts>();
  for (const [book, holdings] of byBook(ledger.holdings(claim.parts))) {
    const bytes = holdings.reduce((sum, { slot }) => sum + reservationBytes(claim.claim, slot.dimensionKey), 0);
    wanted.set(book, { uid: claim.claim.uid, holdings, bytes });
  }
  return wanted;
}

function bytesOf(claim: OpenClaim, parts: readonly ClaimPart[]): number {
  return parts.reduce((sum, part) => sum + reservationBytes(claim.claim, part.dimensionKey), 0);
}

/** Taken after the trial was undone: nothing of the claim itself is in the figures, but for what its other parts need. */
function shortPart({ holding, available }: Shortage): ShortPart {
  const { slot, amount } = holding;
  const { resourceType } = slot.book;
  const figures = { ...slot.book.figuresFor(slot.dimensionKey), available };
  return { part: { resourceType, dimensionKey: slot.dimensionKey, amount }, figures };
}
