import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { amountToJson } from "../resources/fields/amount.ts";
import type { ConsumerRef } from "../resources/fields/consumer-ref.ts";
import { referenceManifest } from "../resources/reference-manifest.ts";
import type { ClaimRequest } from "../resources/resource-claim.ts";

/** Bounded, because tenants choose names and dimensions. */
const entriesMax = 1_000;

const references = new Map<string, JsonObject>();
const requestLists = new Map<string, readonly JsonObject[]>();

/**
 * The requests of a claim as JSON. Hot: most claims of a consumer have the same requests, and share the identical value, so
 * that validation caches recognize it. All defaults are filled in, because defaulting would copy it.
 */
export function requestsManifest(requests: readonly ClaimRequest[]): readonly JsonObject[] {
  const parts = requests.map(({ resourceType, amount, dimensions }) => [resourceType, `${amount}`, dimensions]);
  return cached(requestLists, JSON.stringify(parts), () => Object.freeze(requests.map(requestManifest)));
}

/** The consumer reference of a claim as JSON. Shared by all claims of the consumer. */
export function consumerManifest(consumer: ConsumerRef): JsonObject {
  const { apiGroup, kind, namespace, name } = consumer;
  const id = JSON.stringify([apiGroup, kind, namespace, name]);
  return cached(references, id, () => Object.freeze(referenceManifest(consumer)));
}

function requestManifest({ resourceType, amount, dimensions, dimensionKey }: ClaimRequest): JsonObject {
  const request = { resourceType, amount: amountToJson(amount) };
  return Object.freeze(dimensionKey === "" ? request : { ...request, dimensions: Object.freeze({ ...dimensions }) });
}

function cached<Value>(cache: Map<string, Value>, id: string, make: () => Value): Value {
  const known = cache.get(id);
  if (known !== undefined) return known;
  if (cache.size >= entriesMax) cache.clear();
  const value = make();
  cache.set(id, value);
  return value;
}
