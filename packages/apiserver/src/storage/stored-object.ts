import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import type { ObjectKey } from "./object-key.ts";

/** One version of one object. Immutable: a write creates another version. */
export interface StoredObject {
  readonly key: ObjectKey;
  /** The revision that wrote it, which is its resourceVersion. */
  readonly revision: number;
  /** Its JSON, including the resourceVersion. */
  readonly text: string;
  /** The same, parsed; cached while the version is among those written or parsed last. */
  readonly object: KubernetesObject & JsonObject;
}
