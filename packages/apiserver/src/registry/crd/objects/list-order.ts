import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { canonicalJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";

/**
 * The old value with its set and map lists in the order of the new one, so that rules treat reordered lists as equal,
 * as Kubernetes does.
 */
export function reorderLike(compiled: CompiledSchema, value: JsonValue, old: JsonValue): JsonValue {
  if (compiled.hasKeyedLists === false || value === old) return old;
  if (Array.isArray(value) && Array.isArray(old)) return listInOrder(compiled, value, old);
  return isJsonObject(value) && isJsonObject(old) ? fieldsInOrder(compiled, value, old) : old;
}

function fieldsInOrder(compiled: CompiledSchema, value: JsonObject, old: JsonObject): JsonValue {
  const members = Object.entries(old).map(([name, member]) => {
    const child = compiled.properties.get(name) ?? compiled.additional;
    const current = ownValue(value, name);
    const isKnown = child !== undefined && child !== true && current !== undefined;
    return [name, isKnown ? reorderLike(child, current, member) : member] as const;
  });
  return Object.fromEntries(members);
}

function listInOrder(compiled: CompiledSchema, items: readonly JsonValue[], old: readonly JsonValue[]): JsonValue {
  const { schema, items: itemSchema } = compiled;
  const listType = schema["x-kubernetes-list-type"];
  if (itemSchema === undefined || (listType !== "map" && listType !== "set")) return old;
  const keys = listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : undefined;
  const indexes = new Map(items.map((item, index) => [keyOf(item, keys), index]));
  const indexOf = (item: JsonValue): number => indexes.get(keyOf(item, keys)) ?? items.length;
  const ordered = old.map((item) => ({ item, index: indexOf(item) })).sort((left, right) => left.index - right.index);
  return ordered.map(({ item, index }) => {
    const current = items[index];
    return current === undefined ? item : reorderLike(itemSchema, current, item);
  });
}

/** Set items are identified by their whole content. */
function keyOf(item: JsonValue, keys: readonly string[] | undefined): string {
  if (keys === undefined) return canonicalJson(item);
  return canonicalJson(keys.map((key) => (isJsonObject(item) ? (ownValue(item, key) ?? null) : null)));
}
