import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ConsumerRef } from "./fields/consumer-ref.ts";

/** A reference as it stands in an object: what is empty is left out. */
export function referenceManifest({ apiGroup, kind, namespace, name }: ConsumerRef): JsonObject {
  return {
    ...(apiGroup === "" ? {} : { apiGroup }),
    kind,
    ...(namespace === "" ? {} : { namespace }),
    name,
  };
}
