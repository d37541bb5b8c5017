import { childPath, duplicate, type FieldIssue, invalid, itemPath } from "../protocol/field-issue.ts";
import { isJsonObject, type JsonValue } from "../protocol/json-value.ts";
import { canonicalJson } from "../protocol/json-writer.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

/** Duplicates in set and map lists, anywhere in a value. */
export function duplicateItemIssues(compiled: CompiledSchema, value: JsonValue, path = ""): readonly FieldIssue[] {
  if (compiled.hasKeyedLists === false || typeof value !== "object" || value === null) return [];
  const issues: FieldIssue[] = [];
  collect(compiled, value, path, issues);
  return issues;
}

function collect(compiled: CompiledSchema, value: JsonValue, path: string, issues: FieldIssue[]): void {
  if (compiled.hasKeyedLists === false) return;
  if (Array.isArray(value)) {
    issues.push(...listIssues(compiled, value, path));
    const { items } = compiled;
    if (items === undefined) return;
    for (const [index, item] of value.entries()) collect(items, item as JsonValue, itemPath(path, index), issues);
  } else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const property = compiled.properties.get(key);
      const child = property ?? compiled.additional;
      if (child === undefined || child === true) continue;
      collect(child, member, property === undefined ? itemPath(path, key) : childPath(path, key), issues);
    }
  }
}

function listIssues({ schema }: CompiledSchema, items: readonly JsonValue[], path: string): readonly FieldIssue[] {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return repeated(items, path);
    case "map":
      return mapIssues(items, schema["x-kubernetes-list-map-keys"] ?? [], path);
    default:
      return [];
  }
}

function mapIssues(items: readonly JsonValue[], keys: readonly string[], path: string): readonly FieldIssue[] {
  const stray = items.findIndex((item) => item !== null && !isJsonObject(item));
  if (stray >= 0) {
    return [invalid(itemPath(path, stray), items[stray], "must be an object for an array of list-type map")];
  }
  return repeated(
    items.map((item) => (isJsonObject(item) ? pick(item, keys) : {})),
    path,
  );
}

/** The first duplicate of each item. */
function repeated(identities: readonly JsonValue[], path: string): readonly FieldIssue[] {
  if (identities.length < 2) return [];
  const counts = new Map<string, number>();
  const issues: FieldIssue[] = [];
  for (const [index, identity] of identities.entries()) {
    const text = canonicalJson(identity);
    const count = counts.get(text) ?? 0;
    if (count === 1) issues.push(duplicate(itemPath(path, index), identity));
    counts.set(text, count + 1);
  }
  return issues;
}

function pick(item: Readonly<Record<string, JsonValue>>, keys: readonly string[]): JsonValue {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key] as JsonValue]));
}
