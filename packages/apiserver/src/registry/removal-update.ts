import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
} from "@milo-quota/kubernetes/protocol/json-value.ts";

/**
 * Whether an update belongs to a removal: it marks the object for deletion, takes finalizers away, or is one of the last
 * writes of a terminating object. Such updates are stored even if the disk is full.
 */
export function isRemovalUpdate(before: JsonObject, after: JsonObject): boolean {
  if (metadataOf(after)["deletionTimestamp"] !== undefined) {
    return jsonEquals(without(before, terminatingFields), without(after, terminatingFields));
  }
  const [old, left] = [finalizersOf(before), finalizersOf(after)];
  const isLess = left.length < old.length && left.every((name) => old.includes(name));
  return isLess && jsonEquals(without(before, finalizerFields), without(after, finalizerFields));
}

/** Whether labels, annotations and everything else in the metadata is the same, except who owns the fields. */
export function isSameMetadata(before: JsonObject, after: JsonObject): boolean {
  return jsonEquals(omit(metadataOf(before), writeFields), omit(metadataOf(after), writeFields));
}

interface Ignored {
  readonly metadata: readonly string[];
  readonly fields: readonly string[];
}

/** Fields that every write changes. */
const writeFields = ["resourceVersion", "managedFields"];
const finalizerFields: Ignored = { metadata: [...writeFields, "finalizers"], fields: [] };
/** A namespace has finalizers in its spec, and the reasons why it still exists in its status. */
const terminatingFields: Ignored = {
  metadata: [...finalizerFields.metadata, "deletionTimestamp", "deletionGracePeriodSeconds", "generation"],
  fields: ["status"],
};

function without(object: JsonObject, { metadata, fields }: Ignored): JsonValue {
  const rest = { ...omit(object, fields), metadata: omit(metadataOf(object), metadata) };
  const { kind, spec } = object;
  if (kind !== "Namespace" || fields.length === 0 || !isJsonObject(spec ?? null)) return rest;
  return { ...rest, spec: omit(spec as JsonObject, ["finalizers"]) };
}

function omit(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as JsonObject;
}

function metadataOf({ metadata = null }: JsonObject): JsonObject {
  return isJsonObject(metadata) ? metadata : {};
}

function finalizersOf(object: JsonObject): readonly JsonValue[] {
  const { finalizers } = metadataOf(object);
  return Array.isArray(finalizers) ? finalizers : [];
}
