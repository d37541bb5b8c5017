import { depthMax, isJsonObject, type JsonValue, ownValue, setOwn } from "./json-value.ts";

/**
 * JSON merge patch (RFC 7396): null removes, objects merge, everything else replaces. The target is left as it is. Beyond
 * `depthMax` a patch replaces.
 */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue, depth = 0): JsonValue {
  if (!isJsonObject(patch) || depth > depthMax) return patch;
  const merged: Record<string, JsonValue> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setOwn(merged, key, mergePatch(ownValue(merged, key), value, depth + 1));
  }
  return merged;
}
