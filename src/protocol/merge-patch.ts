import { depthMax, isJsonObject, type JsonObject, type JsonValue, ownValue, setOwn } from "./json-value.ts";

/**
 * JSON merge patch (RFC 7396): null removes, objects merge, everything else replaces. The target is left as it is, and
 * what the patch does not change of it is the very same value in the result. Beyond `depthMax` a patch replaces.
 */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue, depth = 0): JsonValue {
  if (!isJsonObject(patch) || depth > depthMax) return patch;
  const old = isJsonObject(target) ? target : undefined;
  const changes = changesOf(old ?? nothing, patch, depth);
  if (old !== undefined && changes.size === 0) return old;
  const merged: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(old ?? nothing)) {
    const next = changes.has(key) ? changes.get(key) : value;
    if (next !== undefined) setOwn(merged, key, next);
    changes.delete(key);
  }
  for (const [key, value] of changes) if (value !== undefined) setOwn(merged, key, value);
  return merged;
}

const nothing: JsonObject = {};

/** What of an object a patch makes different; undefined for what it takes away. */
function changesOf(old: JsonObject, patch: JsonObject, depth: number): Map<string, JsonValue | undefined> {
  const changes = new Map<string, JsonValue | undefined>();
  for (const [key, value] of Object.entries(patch)) {
    const before = ownValue(old, key);
    const after = value === null ? undefined : mergePatch(before, value, depth + 1);
    if (after !== before) changes.set(key, after);
  }
  return changes;
}
