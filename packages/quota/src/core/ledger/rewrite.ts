import { amountMax } from "../resources/fields/amount.ts";
import { least } from "./arithmetic.ts";
import type { ConsumerLedger } from "./consumer-ledger.ts";
import {
  type BucketContent,
  type LedgerBucket,
  type OpenClaim,
  type Reservation,
  reservationBytes,
} from "./ledger-bucket.ts";
import type { GrantShare } from "./pools.ts";
import type { Decision } from "./settle.ts";
import type { Figures, ReservedParts } from "./type-ledger.ts";

/** `complete`: all claims as of the bucket are known. `partial`: an unknown claim may be a new one. */
export type View = "complete" | "partial";

/** What a bucket write changes, beside the state of the claims. */
export interface Changes {
  readonly decisions: readonly Decision[];
  /** Attempts that recovery found incomplete, and fenced. */
  readonly dropped: ReadonlySet<string>;
  /** For the new reservations. */
  readonly expirationTime: string;
}

export const noChanges: Changes = { decisions: [], dropped: new Set(), expirationTime: "" };

/** Adopts the reservations of a bucket that was just read. A claim that a complete view does not contain is gone. */
export function adoptBucket(ledger: ConsumerLedger, bucket: LedgerBucket, view: View): void {
  for (const { claim } of bucket.content.reservations) {
    if (view === "complete" && ledger.knowledgeOf(claim.uid) === undefined) ledger.learn(claim.uid, { state: "gone" });
  }
  const open = bucket.content.reservations.filter((reservation) => fateOf(ledger, reservation) === "keep");
  ledger.ofType(bucket.resourceType).setReservations(reservedPartsOf(ledger, bucket.resourceType, open));
}

/**
 * What the next write does with a reservation. That of a granted claim goes into `allocated`; one whose claim was denied or is
 * gone is released; any other stays, whatever its age.
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
 * The next content of a bucket: its open reservations, those the decisions add, and figures that count all of them.
 * `allocated` is summed from the claims each time, never derived from the stored value.
 */
export function contentOf(ledger: ConsumerLedger, bucket: LedgerBucket, changes: Changes): BucketContent {
  const { decisions, dropped, expirationTime } = changes;
  const typeLedger = ledger.ofType(bucket.resourceType);
  const kept = bucket.content.reservations.filter(
    ({ claim, attempt }) => typeLedger.hasReservation(claim.uid) && !dropped.has(attempt),
  );
  const added = decisions.flatMap((decision) => {
    // A claim may have ended since it was decided; its reservation is withdrawn then, and must not be stored.
    const { outcome, claim } = decision;
    const isReserved = outcome === "reserve" && typeLedger.hasReservation(claim.claim.uid);
    return isReserved ? newReservations(claim, bucket.resourceType, { attempt: decision.attempt, expirationTime }) : [];
  });
  const reservations = added.length === 0 ? kept : [...kept, ...added];
  const { grantCount, shares } = typeLedger.capacity;
  const figures = capped(typeLedger.figures());
  return { figures, claimCount: typeLedger.claimCount, grantCount, shares, reservations };
}

/** Caps the figures to int64 for the bucket status. Grants may add up to more, and decisions use the full sums. */
export function capped({ limit, allocated, reserved, available, overage, undimensioned }: Figures): Figures {
  return {
    limit: least(limit, amountMax),
    allocated: least(allocated, amountMax),
    reserved: least(reserved, amountMax),
    available: least(available, amountMax),
    overage: least(overage, amountMax),
    ...(undimensioned === undefined ? {} : { undimensioned: least(undimensioned, amountMax) }),
  };
}

/** Whether the stored bucket equals the next content, so that no write is needed. */
export function isCurrent({ content: stored }: LedgerBucket, next: BucketContent): boolean {
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
    left.undimensioned === right.undimensioned &&
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
  return (
    left.claim.uid === right.claim.uid && left.attempt === right.attempt && left.dimensionKey === right.dimensionKey
  );
}

function newReservations(
  { claim, parts, forced }: OpenClaim,
  resourceType: string,
  { attempt, expirationTime }: Pick<Reservation, "attempt" | "expirationTime">,
): readonly Reservation[] {
  const own = parts.filter((part) => part.resourceType === resourceType);
  return own.map(({ amount, dimensionKey }) => ({ claim, amount, dimensionKey, attempt, forced, expirationTime }));
}

function* reservedPartsOf(
  ledger: ConsumerLedger,
  resourceType: string,
  reservations: readonly Reservation[],
): Generator<ReservedParts> {
  const typeLedger = ledger.ofType(resourceType);
  for (const uid of new Set(reservations.map(({ claim }) => claim.uid))) {
    const own = reservations.filter(({ claim }) => claim.uid === uid);
    yield {
      uid,
      holdings: own.map(({ dimensionKey, amount }) => ({ slot: typeLedger.slot(dimensionKey), amount })),
      bytes: own.reduce((sum, { claim, dimensionKey }) => sum + reservationBytes(claim, dimensionKey), 0),
    };
  }
}
