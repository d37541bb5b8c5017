import { type Amount, noAmount } from "../resources/fields/amount.ts";
import type { ClaimPart } from "./claim-knowledge.ts";
import { byTypeLedger, type ConsumerLedger } from "./consumer-ledger.ts";
import { type OpenClaim, reservationBytes, resourceTypesOf } from "./ledger-bucket.ts";
import { type Figures, fitsBucket, type ReservedParts, type Shortage, type TypeLedger } from "./type-ledger.ts";

/** A part of a claim that did not fit, with the figures that say why. */
export interface ShortPart {
  readonly part: ClaimPart;
  readonly figures: Figures;
  /** The sum of all grants, if none of them is for the dimensions of the part. */
  readonly grantedElsewhere?: Amount;
}

export type Decision =
  /** Everything fits, or is forced: reserve it in every bucket of the claim, under one attempt. */
  | { readonly outcome: "reserve"; readonly claim: OpenClaim; readonly attempt: string }
  /** Something does not fit. */
  | { readonly outcome: "deny"; readonly claim: OpenClaim; readonly short: readonly ShortPart[] }
  /** A bucket cannot store another reservation: the claim is decided after this batch. */
  | { readonly outcome: "wait"; readonly claim: OpenClaim }
  /** Its reservations exceed the size of an empty bucket. Admission rejects such claims. */
  | { readonly outcome: "oversized"; readonly claim: OpenClaim };

/**
 * Decides claims in the order given, each as a whole; forced ones first, because they are counted in any case. Skips claims
 * that are being deleted, are decided, or have a reservation in any bucket. The type ledgers count a reservation from then
 * on; other writers see it once the buckets are stored.
 */
export function settle(
  ledger: ConsumerLedger,
  claims: Iterable<OpenClaim>,
  newAttempt: () => string,
): readonly Decision[] {
  const crowded = new Set<string>();
  const decisions: Decision[] = [];
  const all = [...claims];
  for (const claim of forcedFirst(all)) {
    if (!isSettleable(ledger, claim)) continue;
    const decision = decide(ledger, claim, crowded);
    decisions.push(decision === "reserve" ? { outcome: "reserve", claim, attempt: newAttempt() } : decision);
  }
  return decisions;
}

function forcedFirst(claims: readonly OpenClaim[]): readonly OpenClaim[] {
  const forcedClaims = claims.filter(({ forced }) => forced);
  return forcedClaims.length === 0 ? claims : [...forcedClaims, ...claims.filter(({ forced }) => !forced)];
}

/**
 * The parts of a claim that do not fit now. A denial is written after the buckets of its batch, and capacity may be free by
 * then; the claim is left to the next batch in that case. Undefined for a claim that must not be decided any more.
 */
export function shortParts(ledger: ConsumerLedger, claim: OpenClaim): readonly ShortPart[] | undefined {
  if (!isSettleable(ledger, claim)) return undefined;
  const wanted = wantedParts(ledger, claim);
  const short = tryAll(wanted);
  if (short.length === 0) for (const typeLedger of wanted.keys()) typeLedger.withdraw(claim.claim.uid);
  return short;
}

/** Whether a claim fits now. */
export function fits(ledger: ConsumerLedger, claim: OpenClaim): boolean {
  const [only] = claim.parts;
  const isAlone = only !== undefined && claim.parts.length === 1;
  if (isAlone && ledger.ofType(only.resourceType).hasFree(only.dimensionKey, only.amount))
    return isSettleable(ledger, claim);
  return shortParts(ledger, claim)?.length === 0;
}

/**
 * Grants a claim without a reservation if all of it fits: claim and buckets are stored in one transaction. Returns whether
 * it fits.
 */
export function grantAtOnce(ledger: ConsumerLedger, claim: OpenClaim): boolean {
  if (!isSettleable(ledger, claim) || tryAll(wantedParts(ledger, claim)).length > 0) return false;
  ledger.learn(claim.claim.uid, { state: "granted", parts: claim.parts });
  return true;
}

/** Whether a claim is pending and has no reservation in any bucket. */
export function isSettleable(ledger: ConsumerLedger, claim: OpenClaim): boolean {
  const known = ledger.knowledgeOf(claim.claim.uid);
  if (known !== undefined && (known.state !== "pending" || known.deleting)) return false;
  return !resourceTypesOf(claim).some((resourceType) => ledger.ofType(resourceType).hasReservation(claim.claim.uid));
}

function decide(ledger: ConsumerLedger, claim: OpenClaim, crowded: Set<string>): Decision | "reserve" {
  if (partsByType(claim).some(([, parts]) => !fitsBucket(parts.length, bytesOf(claim, parts))))
    return { outcome: "oversized", claim };
  if (!hasRoom(ledger, claim, crowded)) return { outcome: "wait", claim };
  const wanted = wantedParts(ledger, claim);
  if (claim.forced) {
    for (const [typeLedger, reserved] of wanted) typeLedger.forceReserve(reserved);
    return "reserve";
  }
  const short = tryAll(wanted);
  return short.length === 0 ? "reserve" : { outcome: "deny", claim, short };
}

/** Reserves all, or nothing; returns the parts that did not fit, of every bucket. */
export function tryAll(wanted: ReadonlyMap<TypeLedger, ReservedParts>): readonly ShortPart[] {
  const short = [...wanted].flatMap(([typeLedger, reserved]) => typeLedger.reserve(reserved));
  if (short.length > 0) for (const [typeLedger, { uid }] of wanted) typeLedger.withdraw(uid);
  return short.map(shortPart);
}

/** Once a claim has to wait for a bucket, later claims for that bucket wait behind it, however small they are. */
function hasRoom(ledger: ConsumerLedger, claim: OpenClaim, crowded: Set<string>): boolean {
  const isCrowded = partsByType(claim).some(
    ([resourceType, parts]) =>
      crowded.has(resourceType) || !ledger.ofType(resourceType).hasRoomFor(parts.length, bytesOf(claim, parts)),
  );
  if (isCrowded) for (const resourceType of resourceTypesOf(claim)) crowded.add(resourceType);
  return !isCrowded;
}

function partsByType(claim: OpenClaim): readonly (readonly [resourceType: string, parts: readonly ClaimPart[]])[] {
  const [only] = claim.parts;
  if (only !== undefined && claim.parts.length === 1) return [[only.resourceType, claim.parts]];
  return resourceTypesOf(claim).map(
    (type) => [type, claim.parts.filter((part) => part.resourceType === type)] as const,
  );
}

function wantedParts(ledger: ConsumerLedger, claim: OpenClaim): ReadonlyMap<TypeLedger, ReservedParts> {
  const wanted = new Map<TypeLedger, ReservedParts>();
  for (const [typeLedger, holdings] of byTypeLedger(ledger.holdings(claim.parts))) {
    const bytes = holdings.reduce((sum, { slot }) => sum + reservationBytes(claim.claim, slot.dimensionKey), 0);
    wanted.set(typeLedger, { uid: claim.claim.uid, holdings, bytes });
  }
  return wanted;
}

function bytesOf(claim: OpenClaim, parts: readonly ClaimPart[]): number {
  return parts.reduce((sum, part) => sum + reservationBytes(claim.claim, part.dimensionKey), 0);
}

/** Read after the reservations were rolled back: only `available` takes the other parts of the claim into account. */
function shortPart({ holding, available }: Shortage): ShortPart {
  const { slot, amount } = holding;
  const { resourceType } = slot.ledger;
  const figures = { ...slot.ledger.figuresFor(slot.dimensionKey), available };
  const { limit } = slot.ledger.figures();
  const isElsewhere = figures.limit === noAmount && limit > noAmount;
  const short = { part: { resourceType, dimensionKey: slot.dimensionKey, amount }, figures };
  return isElsewhere ? { ...short, grantedElsewhere: limit } : short;
}
