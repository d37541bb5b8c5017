import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { amountAt, at, conditionAt, listAt, textAt, textsAt } from "./json-fields.ts";
import { bucketId, consumerIn, keyOfDimensions } from "./stored-amount.ts";

/** A stored AllowanceBucket. The one without dimensions is the ledger bucket. */
export interface StoredBucket {
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
  readonly reservations: readonly StoredReservation[];
  readonly contributions: readonly StoredContribution[];
  readonly isOverLimit: boolean;
  /** Size of the object's JSON. */
  readonly bytes: number;
}

export interface StoredReservation {
  readonly uid: string;
  readonly attempt: string;
  readonly amount: bigint;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly dimensionKey: string;
  readonly forced: boolean;
}

/** A contributing grant in the status of a bucket. */
export interface StoredContribution {
  readonly namespace: string;
  readonly name: string;
  readonly amount: bigint;
  readonly generation: bigint;
}

export function readStoredBucket(key: ObjectKey, object: JsonObject, bytes: number): StoredBucket {
  const consumer = consumerIn(at(object, "spec", "consumerRef"));
  const resourceType = textAt(object, "spec", "resourceType");
  const dimensions = textsAt(object, "spec", "dimensions");
  const status = at(object, "status");
  return {
    key,
    id: bucketId(key.plane, consumer, resourceType),
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
    contributions: listAt(status, "contributingGrantRefs").map(contributionIn),
    isOverLimit: textAt(conditionAt(object, "OverLimit"), "status") === "True",
    bytes,
  };
}

function reservationIn(value: JsonValue): StoredReservation {
  const dimensions = textsAt(value, "dimensions");
  return {
    uid: textAt(value, "reservedBy", "uid"),
    attempt: textAt(value, "set"),
    amount: amountAt(value, "amount"),
    dimensions,
    dimensionKey: keyOfDimensions(dimensions),
    forced: at(value, "forced") === true,
  };
}

function contributionIn(value: JsonValue): StoredContribution {
  return {
    namespace: textAt(value, "namespace"),
    name: textAt(value, "name"),
    amount: amountAt(value, "amount"),
    generation: amountAt(value, "lastObservedGeneration"),
  };
}
