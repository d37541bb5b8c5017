import type { AllowanceBucket, AllowanceBucketStatus } from "../resources/allowance-bucket.ts";
import { type Amount, amountOf, noAmount } from "../resources/fields/amount.ts";
import { dimensionKey } from "../resources/fields/dimensions.ts";
import type { ClaimPart } from "./claim-knowledge.ts";
import type { GrantShare } from "./pools.ts";
import type { Figures } from "./type-ledger.ts";

/** Identifies a claim: namespace and name are for people, rules use the UID alone. */
export interface ClaimIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Capacity held in a bucket for one part of a claim that is being decided. */
export interface Reservation {
  readonly claim: ClaimIdentity;
  readonly amount: Amount;
  readonly dimensionKey: string;
  /** The id of one try to decide the claim, `set` in the API. Reservations of an attempt count only if every bucket of the claim has them. */
  readonly attempt: string;
  readonly forced: boolean;
  /** For people to read; no rule acts on it. */
  readonly expirationTime: string;
}

/** The status of a bucket, parsed. */
export interface BucketContent {
  /** Capped to int64. */
  readonly figures: Figures;
  readonly claimCount: number;
  readonly grantCount: number;
  readonly shares: readonly GrantShare[];
  readonly reservations: readonly Reservation[];
}

/** The stored AllowanceBucket without dimensions of one consumer's resource type: holds its reservations, and is the compare-and-swap fence. */
export interface LedgerBucket {
  readonly resourceType: string;
  /** Undefined: not stored yet, the first write creates it. */
  readonly version: string | undefined;
  readonly writer: string;
  readonly content: BucketContent;
}

/** A claim that is not decided yet, as far as a decision needs it. */
export interface OpenClaim {
  readonly claim: ClaimIdentity;
  readonly parts: readonly ClaimPart[];
  /** Reserve without checking the limit, because the object of the claim already exists. */
  readonly forced: boolean;
}

const noFigures: Figures = {
  limit: noAmount,
  allocated: noAmount,
  reserved: noAmount,
  available: noAmount,
  overage: noAmount,
};

const noContent: BucketContent = {
  figures: noFigures,
  claimCount: 0,
  grantCount: 0,
  shares: [],
  reservations: [],
};

export function unstoredBucket(resourceType: string): LedgerBucket {
  return { resourceType, version: undefined, writer: "", content: noContent };
}

export function readBucket({ metadata, resourceType, status, isOutdated }: AllowanceBucket): LedgerBucket {
  const bucket = { ...unstoredBucket(resourceType), version: metadata.resourceVersion };
  if (status === undefined) return bucket;
  // An empty writer forces a rewrite before any decision.
  return { ...bucket, writer: isOutdated ? "" : (status.writer ?? ""), content: readContent(status) };
}

function readContent(status: AllowanceBucketStatus): BucketContent {
  const { availableWithoutDimensions: undimensioned } = status;
  return {
    figures: {
      limit: amountOf(status.limit),
      allocated: amountOf(status.allocated),
      reserved: amountOf(status.reserved ?? 0),
      available: amountOf(status.available),
      overage: amountOf(status.overage ?? 0),
      ...(undimensioned === undefined ? {} : { undimensioned: amountOf(undimensioned) }),
    },
    claimCount: status.claimCount,
    grantCount: status.grantCount,
    shares: (status.contributingGrantRefs ?? []).map(({ name, namespace = "", amount, lastObservedGeneration }) => ({
      name,
      namespace,
      amount: amountOf(amount),
      generation: lastObservedGeneration,
    })),
    reservations: (status.reservations ?? []).map(readReservation),
  };
}

function readReservation(reservation: NonNullable<AllowanceBucketStatus["reservations"]>[number]): Reservation {
  const { namespace = "", name = "", uid } = reservation.reservedBy;
  return {
    claim: { namespace, name, uid },
    amount: amountOf(reservation.amount),
    dimensionKey: dimensionKey(reservation.dimensions ?? {}),
    attempt: reservation.set,
    forced: reservation.forced === true,
    expirationTime: reservation.expirationTime ?? "",
  };
}

/** The resource types of a claim: one ledger bucket each. */
export function resourceTypesOf({ parts }: OpenClaim): readonly string[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return [only.resourceType]; // nearly all claims
  return [...new Set(parts.map((part) => part.resourceType))];
}

/** Field names, amount, time and an attempt of up to 48 characters, in JSON. */
const reservationFrame = 288;
/** A dimension in JSON has quotes and commas that its key has not; short ones have more of these than text. */
const bytesPerCharacter = 3;

/** Upper bound of a reservation's size in JSON. */
export function reservationBytes({ namespace, name, uid }: ClaimIdentity, dimensionKey: string): number {
  return reservationFrame + namespace.length + name.length + uid.length + bytesPerCharacter * dimensionKey.length;
}
