import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ConsumerRef } from "./fields/consumer-ref.ts";

/** Empty fields are omitted. */
export function referenceManifest({ apiGroup, kind, namespace, name }: ConsumerRef): JsonObject {
  return {
    ...(apiGroup === "" ? {} : { apiGroup }),
    kind,
    ...(namespace === "" ? {} : { namespace }),
    name,
  };
}
