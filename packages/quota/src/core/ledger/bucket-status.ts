import { amountToJson } from "../resources/fields/amount.ts";
import { parseDimensionKey } from "../resources/fields/dimensions.ts";
import { quotaApiVersion } from "../resources/well-known.ts";
import { percentOf, plus } from "./arithmetic.ts";
import type { BucketContent, Reservation } from "./ledger-bucket.ts";
import type { GrantShare } from "./pools.ts";

type Json = Readonly<Record<string, unknown>>;

/** The writer of a bucket status, the time, and the generation of the spec it is for. */
export interface BucketStamp {
  readonly writer: string;
  readonly now: string;
  readonly generation: number | bigint;
}

/** The status of a bucket without conditions: these depend on the conditions before them. */
export function bucketStatus(content: BucketContent, { writer, now, generation }: BucketStamp): Json {
  const { figures, claimCount, grantCount, shares, reservations } = content;
  const { limit, allocated, reserved, available, overage, undimensioned } = figures;
  return {
    observedGeneration: generation,
    limit: amountToJson(limit),
    allocated: amountToJson(allocated),
    reserved: amountToJson(reserved),
    available: amountToJson(available),
    ...(undimensioned === undefined ? {} : { availableWithoutDimensions: amountToJson(undimensioned) }),
    overage: amountToJson(overage),
    usedPercent: percentOf(plus(allocated, reserved), limit),
    claimCount,
    grantCount,
    writer,
    reservations: reservations.map((each) => shownOnce(each, reservationStatus)),
    contributingGrantRefs: shares.map((each) => shownOnce(each, shareStatus)),
    lastReconciliation: now,
  };
}

/** Unchanged reservations and shares keep their JSON object, so that the server does not validate them again. */
const shown = new WeakMap<object, Json>();

function shownOnce<Part extends object>(part: Part, show: (part: Part) => Json): Json {
  const known = shown.get(part);
  if (known !== undefined) return known;
  const made = show(part);
  shown.set(part, made);
  return made;
}

function reservationStatus(reservation: Reservation): Json {
  const { claim, amount, dimensionKey, attempt, forced, expirationTime } = reservation;
  return {
    reservedBy: { apiVersion: quotaApiVersion, kind: "ResourceClaim", ...claim },
    amount: amountToJson(amount),
    ...(dimensionKey === "" ? {} : { dimensions: parseDimensionKey(dimensionKey) }),
    set: attempt,
    ...(forced ? { forced } : {}),
    ...(expirationTime === "" ? {} : { expirationTime }),
  };
}

function shareStatus({ name, namespace, amount, generation }: GrantShare): Json {
  return { name, namespace, amount: amountToJson(amount), lastObservedGeneration: generation };
}
