import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  type LabelRequirements,
  selectorRequirements,
} from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { amountAt, at, listAt, textAt } from "./json-fields.ts";
import { consumerIn } from "./stored-amount.ts";

/** A stored ResourceGrant. */
export interface StoredGrant {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly generation: bigint;
  readonly consumer: string;
  readonly consumerKind: string;
  readonly pools: readonly StoredPool[];
  /** Expiry in milliseconds since 1970; undefined for never. */
  readonly expiresMs: number | undefined;
  readonly deleting: boolean;
  /** The policy that created it; empty for a manual grant. */
  readonly policy: string;
  /** UID of the object that it was created for, if that owns it, so that it is deleted together with it. */
  readonly ownedBy: string;
}

/** Capacity for all requests whose dimensions match. */
export interface StoredPool {
  readonly resourceType: string;
  readonly requirements: LabelRequirements;
  readonly amount: bigint;
}

export function readStoredGrant(key: ObjectKey, object: JsonObject): StoredGrant {
  const consumer = at(object, "spec", "consumerRef");
  const expiresAt = textAt(object, "spec", "expiresAt");
  return {
    key,
    uid: textAt(object, "metadata", "uid"),
    generation: amountAt(object, "metadata", "generation"),
    consumer: consumerIn(consumer),
    consumerKind: `${textAt(consumer, "apiGroup")}/${textAt(consumer, "kind")}`,
    pools: listAt(object, "spec", "allowances").flatMap(poolsIn),
    expiresMs: expiresAt === "" ? undefined : Date.parse(expiresAt),
    deleting: textAt(object, "metadata", "deletionTimestamp") !== "",
    policy: textAt(object, "metadata", "annotations", "quota.miloapis.com/policy"),
    ownedBy: textAt(listAt(object, "metadata", "ownerReferences")[0] ?? {}, "uid"),
  };
}

function poolsIn(allowance: JsonValue): readonly StoredPool[] {
  return listAt(allowance, "buckets").map((bucket) => ({
    resourceType: textAt(allowance, "resourceType"),
    requirements: selectorRequirements((at(bucket, "dimensionSelector") ?? {}) as object),
    amount: amountAt(bucket, "amount"),
  }));
}
