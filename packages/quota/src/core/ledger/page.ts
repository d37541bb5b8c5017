import type { AllowanceBucket, AllowanceBucketStatus } from "../resources/allowance-bucket.ts";
import { type Amount, amountOf, noAmount } from "../resources/fields/amount.ts";
import { dimensionKey } from "../resources/fields/dimensions.ts";
import type { ClaimPart } from "./claim-knowledge.ts";
import type { Figures } from "./page-book.ts";
import type { GrantShare } from "./pools.ts";

/** Which claim: people find it by namespace and name, rules go by its UID alone. */
export interface ClaimIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A promise written down on a page: so much for one part of one claim. */
export interface Reservation {
  readonly claim: ClaimIdentity;
  readonly amount: Amount;
  readonly dimensionKey: string;
  /** The attempt it belongs to. Promises of an attempt count only together, over all pages of the claim. */
  readonly set: string;
  readonly forced: boolean;
  /** For people to read; no rule acts on it. */
  readonly expirationTime: string;
}

/** What a page says. */
export interface PageContent {
  /** As far as an int64 can show them. */
  readonly figures: Figures;
  readonly claimCount: number;
  readonly grantCount: number;
  readonly shares: readonly GrantShare[];
  readonly reservations: readonly Reservation[];
}

/** A page as it is stored: the fence and the promise book of one consumer's resource type. */
export interface Page {
  readonly resourceType: string;
  /** Undefined: there is none yet, and the first write creates it. */
  readonly version: string | undefined;
  readonly writer: string;
  readonly content: PageContent;
}

/** What a claim asks for, as far as a decision needs it. */
export interface OpenClaim {
  readonly claim: ClaimIdentity;
  readonly parts: readonly ClaimPart[];
  readonly standing: Standing;
}

/**
 * How a claim comes to be decided. One that is `waiting` for its answer is promised what fits; one that is `forced`, for an
 * object that exists already, is promised it whether it fits or not.
 */
export type Standing = "waiting" | "forced";

const noFigures: Figures = {
  limit: noAmount,
  allocated: noAmount,
  reserved: noAmount,
  available: noAmount,
  overage: noAmount,
};

const noContent: PageContent = {
  figures: noFigures,
  claimCount: 0,
  grantCount: 0,
  shares: [],
  reservations: [],
};

export function noPage(resourceType: string): Page {
  return { resourceType, version: undefined, writer: "", content: noContent };
}

export function readPage({ metadata, resourceType, status, isOutdated }: AllowanceBucket): Page {
  const page = { ...noPage(resourceType), version: metadata.resourceVersion };
  if (status === undefined) return page;
  // Without a writer it is written anew before anything else.
  return { ...page, writer: isOutdated ? "" : (status.writer ?? ""), content: readContent(status) };
}

function readContent(status: AllowanceBucketStatus): PageContent {
  return {
    figures: {
      limit: amountOf(status.limit),
      allocated: amountOf(status.allocated),
      reserved: amountOf(status.reserved ?? 0),
      available: amountOf(status.available),
      overage: amountOf(status.overage ?? 0),
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
    set: reservation.set,
    forced: reservation.forced === true,
    expirationTime: reservation.expirationTime ?? "",
  };
}

/** The pages a claim is on. */
export function pagesOf({ parts }: OpenClaim): readonly string[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return [only.resourceType]; // as nearly all of them
  return [...new Set(parts.map((part) => part.resourceType))];
}

/** Field names, amount, time and a set of up to 48 characters, in JSON. */
const reservationFrame = 288;
/** A dimension in JSON has quotes and commas that its key has not; short ones have more of these than text. */
const bytesPerCharacter = 3;

/** What a promise takes at most when it is written down. */
export function reservationBytes({ namespace, name, uid }: ClaimIdentity, dimensionKey: string): number {
  return reservationFrame + namespace.length + name.length + uid.length + bytesPerCharacter * dimensionKey.length;
}
