import { depthMax, isJsonObject, type JsonObject, type JsonValue, ownValue, setOwn } from "./json-value.ts";

/**
 * JSON merge patch (RFC 7396): null removes, objects merge, everything else replaces. The target is not modified, and
 * unchanged parts are identical in the result. Beyond `depthMax` a patch replaces.
 */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue, depth = 0): JsonValue {
  if (!isJsonObject(patch) || depth > depthMax) return patch;
  const old = isJsonObject(target) ? target : undefined;
  let merged: Record<string, JsonValue> | undefined = old === undefined ? {} : undefined;
  for (const key of Object.keys(patch)) {
    const value = patch[key] as JsonValue;
    const before = old === undefined ? undefined : ownValue(old, key);
    const after = value === null ? undefined : mergePatch(before, value, depth + 1);
    if (after === before) continue;
    merged ??= { ...(removesField(old ?? nothing, patch) ? withoutRemoved(old ?? nothing, patch) : old) };
    if (after !== undefined) setOwn(merged, key, after);
  }
  return merged ?? (old as JsonObject);
}

const nothing: JsonObject = {};

/** Whether a patch removes a field that exists. */
function removesField(old: JsonObject, patch: JsonObject): boolean {
  for (const key of Object.keys(patch)) if (patch[key] === null && Object.hasOwn(old, key)) return true;
  return false;
}

/** Copied: deleting a property would put the object into dictionary mode, which is slow. */
function withoutRemoved(old: JsonObject, patch: JsonObject): JsonObject {
  const left: Record<string, JsonValue> = {};
  for (const key of Object.keys(old)) {
    if (ownValue(patch, key) !== null) setOwn(left, key, old[key] as JsonValue);
  }
  return left;
}
