import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { amountToJson } from "../resources/fields/amount.ts";
import type { ConsumerRef } from "../resources/fields/consumer-ref.ts";
import { referenceManifest } from "../resources/reference-manifest.ts";
import type { ClaimRequest } from "../resources/resource-claim.ts";

/** Nothing is lost by sharing less; tenants choose names and dimensions, and must not fill the memory with them. */
const sharedMax = 1_000;

const references = new Map<string, JsonObject>();
const requestLists = new Map<string, readonly JsonObject[]>();

/**
 * What claims ask for, as it stands in them. Most claims of a consumer ask for the same, and get the very same value: within
 * one process whoever looked at it once need not look again. Nothing is left to be filled in, which would make another.
 */
export function requestsManifest(requests: readonly ClaimRequest[]): readonly JsonObject[] {
  const parts = requests.map(({ resourceType, amount, dimensions }) => [resourceType, `${amount}`, dimensions]);
  return remembered(requestLists, JSON.stringify(parts), () => Object.freeze(requests.map(requestManifest)));
}

/** A reference that many claims have in common. */
export function consumerManifest(consumer: ConsumerRef): JsonObject {
  const { apiGroup, kind, namespace, name } = consumer;
  const id = JSON.stringify([apiGroup, kind, namespace, name]);
  return remembered(references, id, () => Object.freeze(referenceManifest(consumer)));
}

function requestManifest({ resourceType, amount, dimensions, dimensionKey }: ClaimRequest): JsonObject {
  const asked = { resourceType, amount: amountToJson(amount) };
  return Object.freeze(dimensionKey === "" ? asked : { ...asked, dimensions: Object.freeze({ ...dimensions }) });
}

function remembered<Value>(all: Map<string, Value>, id: string, make: () => Value): Value {
  const known = all.get(id);
  if (known !== undefined) return known;
  if (all.size >= sharedMax) all.clear();
  const value = make();
  all.set(id, value);
  return value;
}
