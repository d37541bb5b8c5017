import type { AllowanceBucket } from "../resources/allowance-bucket.ts";
import { type Amount, amountOf, noAmount } from "../resources/amount.ts";
import { dimensionKey } from "../resources/dimensions.ts";
import type { ClaimPart } from "./claim-knowledge.ts";

/** Field names, amount, time and a set of up to 48 characters, in JSON. */
const reservationFrame = 272;
/** A dimension in JSON has quotes that its key has not. */
const bytesPerCharacter = 2;

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

/** A page as it is stored: the fence and the promise book of one consumer's resource type. */
export interface Page {
  readonly resourceType: string;
  /** Undefined: there is none yet, and the first write creates it. */
  readonly version: string | undefined;
  readonly writer: string;
  readonly limit: Amount;
  readonly allocated: Amount;
  readonly reservations: readonly Reservation[];
}

/** What a claim asks for, as far as a decision needs it. */
export interface OpenClaim {
  readonly claim: ClaimIdentity;
  readonly parts: readonly ClaimPart[];
  /** For an object that exists already: promised whether it fits or not. */
  readonly forced: boolean;
}

export function noPage(resourceType: string): Page {
  return { resourceType, version: undefined, writer: "", limit: noAmount, allocated: noAmount, reservations: [] };
}

export function readPage({ metadata, resourceType, status }: AllowanceBucket): Page {
  const page = { ...noPage(resourceType), version: metadata.resourceVersion };
  if (status === undefined) return page;
  const { writer = "", limit, allocated, reservations = [] } = status;
  return {
    ...page,
    writer,
    limit: amountOf(limit),
    allocated: amountOf(allocated),
    reservations: reservations.map((reservation) => ({
      claim: {
        namespace: reservation.reservedBy.namespace ?? "",
        name: reservation.reservedBy.name ?? "",
        uid: reservation.reservedBy.uid,
      },
      amount: amountOf(reservation.amount),
      dimensionKey: dimensionKey(reservation.dimensions ?? {}),
      set: reservation.set,
      forced: reservation.forced === true,
      expirationTime: reservation.expirationTime ?? "",
    })),
  };
}

/** The pages a claim is on. */
export function pagesOf(claim: OpenClaim): readonly string[] {
  return [...new Set(claim.parts.map((part) => part.resourceType))];
}

/** What a promise takes at most when it is written down: its names, and the words around them. */
export function reservationBytes({ namespace, name, uid }: ClaimIdentity, dimensionKey: string): number {
  return reservationFrame + namespace.length + name.length + uid.length + bytesPerCharacter * dimensionKey.length;
}
