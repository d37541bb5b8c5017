import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { compareObjects } from "../fields/compare-objects.ts";
import { difference, type FieldSet, noFields } from "../fields/field-set.ts";
import { type MergeType, mergeTypeOf } from "../fields/merge-type.ts";
import { fieldsOf } from "../fields/object-fields.ts";
import { escapedJson } from "../fields/path-element.ts";
import { typeFault } from "../fields/type-issues.ts";
import { type FieldScope, metadataOf, withMetadataField, withoutManagedFields } from "./field-scope.ts";

const annotation = "kubectl.kubernetes.io/last-applied-configuration";
const annotationBytesMax = 256 * 1024;

/** Only kubectl migrates from client-side apply. Other managers opt out by their names. */
export function migratesClientSideApply(manager: string): boolean {
  return manager === "kubectl";
}

/**
 * Fields that `kubectl apply` set client-side and that did not change since: a server-side apply may take them without
 * force.
 */
export function lastAppliedFields(live: JsonObject, scope: FieldScope): FieldSet {
  const schema = scope.schemaOf(scope.apiVersion);
  const last = parseLastApplied(lastApplied(live));
  if (schema === undefined || last === undefined || ownValue(last, "apiVersion") !== scope.apiVersion) return noFields;
  return unchangedFields(mergeTypeOf(schema), last, { ...withoutManagedFields(live), apiVersion: scope.apiVersion });
}

function unchangedFields(type: MergeType, last: JsonObject, live: JsonObject): FieldSet {
  const isTyped = [last, live].every((object) => typeFault(type, object, "forbidden") === undefined);
  if (!isTyped) return noFields;
  const { added, modified, removed } = compareObjects(type, last, live);
  return [modified, added, removed].reduce(difference, fieldsOf(type, last));
}

/** Keeps the last-applied annotation of an object in sync with the applied configuration. */
export function syncLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  if (lastApplied(object) === "") return object;
  const { [annotation]: _, ...others } = annotationsOf(object);
  const { [annotation]: __, ...appliedOthers } = annotationsOf(applied);
  const hasAnnotations = isJsonObject(ownValue(metadataOf(applied), "annotations"));
  const bare = hasAnnotations ? withMetadataField(applied, "annotations", appliedOthers) : applied;
  const synced = { ...others, [annotation]: `${escapedJson(bare)}\n` };
  return withMetadataField(object, "annotations", annotationBytes(synced) > annotationBytesMax ? others : synced);
}

function lastApplied(object: JsonObject): string {
  const text = ownValue(annotationsOf(object), annotation);
  return typeof text === "string" ? text : "";
}

function parseLastApplied(text: string): JsonObject | undefined {
  try {
    const value = text === "" ? undefined : readJson(text);
    return isJsonObject(value) && typeof ownValue(value, "kind") === "string" ? value : undefined;
  } catch {
    // Not a configuration: it allows nothing.
    return undefined;
  }
}

function annotationsOf(object: JsonObject): JsonObject {
  const annotations = ownValue(metadataOf(object), "annotations");
  return isJsonObject(annotations) ? annotations : {};
}

function annotationBytes(annotations: JsonObject): number {
  return Object.entries(annotations).reduce((sum, [name, value]) => sum + bytes(name) + bytes(String(value)), 0);
}

function bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
