import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { amountAt, at, conditionAt, listAt, textAt, textsAt } from "./json-fields.ts";
import { consumerIn, keyOfDimensions, pageId } from "./true-part.ts";

/** A bucket as it is stored. The one without dimensions is the page that decisions go through. */
export interface TruePage {
  readonly key: ObjectKey;
  readonly id: string;
  readonly consumer: string;
  readonly resourceType: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly dimensionKey: string;
  readonly limit: bigint;
  readonly allocated: bigint;
  readonly reserved: bigint;
  readonly available: bigint;
  readonly overage: bigint;
  readonly claimCount: bigint;
  readonly grantCount: bigint;
  readonly writer: string;
  readonly reservations: readonly TrueReservation[];
  readonly shares: readonly TrueShare[];
  readonly isOverLimit: boolean;
  /** What the object takes when it is written down. */
  readonly bytes: number;
}

export interface TrueReservation {
  readonly uid: string;
  readonly set: string;
  readonly amount: bigint;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly dimensionKey: string;
  readonly forced: boolean;
}

/** What a page says of a grant behind its limit. */
export interface TrueShare {
  readonly namespace: string;
  readonly name: string;
  readonly amount: bigint;
  readonly generation: bigint;
}

export function readTruePage(key: ObjectKey, object: JsonObject, bytes: number): TruePage {
  const consumer = consumerIn(at(object, "spec", "consumerRef"));
  const resourceType = textAt(object, "spec", "resourceType");
  const dimensions = textsAt(object, "spec", "dimensions");
  const status = at(object, "status");
  return {
    key,
    id: pageId(key.plane, consumer, resourceType),
    consumer,
    resourceType,
    dimensions,
    dimensionKey: keyOfDimensions(dimensions),
    limit: amountAt(status, "limit"),
    allocated: amountAt(status, "allocated"),
    reserved: amountAt(status, "reserved"),
    available: amountAt(status, "available"),
    overage: amountAt(status, "overage"),
    claimCount: amountAt(status, "claimCount"),
    grantCount: amountAt(status, "grantCount"),
    writer: textAt(status, "writer"),
    reservations: listAt(status, "reservations").map(reservationIn),
    shares: listAt(status, "contributingGrantRefs").map(shareIn),
    isOverLimit: textAt(conditionAt(object, "OverLimit"), "status") === "True",
    bytes,
  };
}

function reservationIn(value: JsonValue): TrueReservation {
  const dimensions = textsAt(value, "dimensions");
  return {
    uid: textAt(value, "reservedBy", "uid"),
    set: textAt(value, "set"),
    amount: amountAt(value, "amount"),
    dimensions,
    dimensionKey: keyOfDimensions(dimensions),
    forced: at(value, "forced") === true,
  };
}

function shareIn(value: JsonValue): TrueShare {
  return {
    namespace: textAt(value, "namespace"),
    name: textAt(value, "name"),
    amount: amountAt(value, "amount"),
    generation: amountAt(value, "lastObservedGeneration"),
  };
}
