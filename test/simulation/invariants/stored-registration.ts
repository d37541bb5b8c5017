import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { at, conditionAt, listAt, textAt } from "./json-fields.ts";

/** A stored ResourceRegistration. */
export interface StoredRegistration {
  readonly key: ObjectKey;
  readonly resourceType: string;
  readonly isFeature: boolean;
  readonly consumerKind: string;
  readonly claimingKinds: readonly string[];
  readonly dimensions: readonly string[];
  /** The Active condition. */
  readonly isActive: boolean;
  readonly createdAt: string;
}

export function readStoredRegistration(key: ObjectKey, object: JsonObject): StoredRegistration {
  const spec = at(object, "spec");
  const consumer = at(spec, "consumerType") ?? at(spec, "consumerTypeRef");
  return {
    key,
    resourceType: textAt(spec, "resourceType"),
    isFeature: textAt(spec, "type") === "Feature",
    consumerKind: `${textAt(consumer, "apiGroup")}/${textAt(consumer, "kind")}`,
    claimingKinds: listAt(spec, "claimingResources").map(
      (kind) => `${textAt(kind, "apiGroup")}/${textAt(kind, "kind")}`,
    ),
    dimensions: listAt(spec, "dimensions").map(String),
    isActive: textAt(conditionAt(object, "Active"), "status") === "True",
    createdAt: textAt(object, "metadata", "creationTimestamp"),
  };
}
