import { isSameMetadata } from "@milo-quota/apiserver/registry/removal-update.ts";
import type { StoredObject } from "@milo-quota/apiserver/storage/stored-object.ts";
import { isJsonObject, type JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { allowanceBucketDefinition } from "../core/resources/allowance-bucket.ts";
import { amountOf } from "../core/resources/fields/amount.ts";
import { resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import { quotaGroup } from "../core/resources/well-known.ts";

/**
 * Whether an update only gives quota back: a claim or a bucket that holds less than before. Such updates are stored even
 * if the disk is full, so that deleting objects releases their quota.
 */
export function isQuotaRelease({ key, object }: StoredObject, after: JsonObject): boolean {
  const holds = readers[key.resource];
  if (holds === undefined) return false;
  const before = object as unknown as JsonObject;
  const [held, left] = [holds(statusOf(before)), holds(statusOf(after))];
  const isMore = left.length > held.length || left.some((amount, at) => amount > (held[at] ?? 0n));
  return !isMore && left.some((amount, at) => amount < (held[at] ?? 0n)) && isSameMetadata(before, after);
}

type Holdings = (status: JsonObject) => readonly bigint[];

const readers: Readonly<Record<string, Holdings>> = {
  [`${allowanceBucketDefinition.plural}.${quotaGroup}`]: bucketHoldings,
  [`${resourceClaimDefinition.plural}.${quotaGroup}`]: claimHoldings,
};

/** A reservation may become an allocation, so that only the sum must not grow. */
function bucketHoldings({ allocated, reserved, claimCount }: JsonObject): readonly bigint[] {
  return [amountIn(allocated) + amountIn(reserved), amountIn(reserved), amountIn(claimCount)];
}

function claimHoldings({ allocations }: JsonObject): readonly bigint[] {
  if (!Array.isArray(allocations)) return [];
  return allocations.map((each) => amountIn(isJsonObject(each) ? each["allocatedAmount"] : undefined));
}

function amountIn(value: unknown): bigint {
  return typeof value === "number" || typeof value === "bigint" ? amountOf(value) : 0n;
}

function statusOf({ status = null }: JsonObject): JsonObject {
  return isJsonObject(status) ? status : {};
}
