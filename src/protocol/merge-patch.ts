import { isJsonObject, type JsonValue, ownValue, setOwn } from "./json-value.ts";

/** JSON merge patch (RFC 7396): null removes, objects merge, everything else replaces. The target is left as it is. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const merged: Record<string, JsonValue> = isJsonObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setOwn(merged, key, mergePatch(ownValue(merged, key), value));
  }
  return merged;
}
