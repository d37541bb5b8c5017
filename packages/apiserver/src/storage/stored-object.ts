import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ObjectKey } from "./object-key.ts";

/** One version of one object. Immutable: a write makes another version. */
export interface StoredObject {
  readonly key: ObjectKey;
  /** The revision that wrote it, which is its resourceVersion. */
  readonly revision: number;
  /** Its JSON, resourceVersion included. */
  readonly text: string;
  /** The same, parsed; not again for as long as the version is one of those written or parsed last. */
  readonly object: KubernetesObject & JsonObject;
}
