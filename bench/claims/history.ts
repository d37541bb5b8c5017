import { randomUUID } from "node:crypto";
import type { ObjectStore } from "@milo-quota/apiserver/storage/object-store.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { claimsType } from "../../packages/quota/src/views/quota-types.ts";
import { grantedClaim, namespace } from "./quota-objects.ts";

const batchSize = 1_000;

/** Stores claims of the first consumer that were granted long ago. Writes to the store directly: the API would take an hour. */
export async function storeHistory(store: ObjectStore, count: number): Promise<void> {
  const resource = `${claimsType.plural}.${claimsType.group}`;
  for (let at = 0; at < count; at += batchSize) {
    const writes = Array.from({ length: Math.min(batchSize, count - at) }, (_, index) => {
      const name = `old-claim-${at + index}`;
      const object = grantedClaim(name, randomUUID()) as unknown as JsonObject;
      return store.put({ plane: "root", resource, namespace, name }, 0, object);
    });
    await Promise.all(writes);
  }
}
