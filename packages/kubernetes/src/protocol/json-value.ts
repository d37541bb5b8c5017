/** A JSON value. Integers that a double cannot represent are bigints; all other numbers are numbers. */
export type JsonValue = null | boolean | number | bigint | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own property of an object; inherited ones such as `toString` and `__proto__` are ignored. */
export function ownValue(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a property of any name; plain assignment to `__proto__` would change the prototype instead. */
export function setOwn<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

/** Depth limit of comparing, sorting and merging. No sensible object is nested deeper. */
export const depthMax = 1_000;

/** The value with sorted keys, as Go prints maps. */
export function sortedKeys(value: JsonValue, depth = 0): JsonValue {
  if (depth > depthMax) return null;
  if (Array.isArray(value)) return value.map((item: JsonValue) => sortedKeys(item, depth + 1));
  if (!isJsonObject(value)) return value;
  const sorted: Record<string, JsonValue> = {};
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, sortedKeys(value[key] as JsonValue, depth + 1));
  return sorted;
}

/** Beyond `depthMax` values count as different. */
export function jsonEquals(left: JsonValue, right: JsonValue, depth = 0): boolean {
  if (left === right) return true;
  if (depth > depthMax) return false;
  if (Array.isArray(left)) return Array.isArray(right) && equalItems(left, right, depth + 1);
  return isJsonObject(left) && isJsonObject(right) && equalMembers(left, right, depth + 1);
}

function equalItems(left: readonly JsonValue[], right: readonly JsonValue[], depth: number): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) {
    if (!jsonEquals(left[at] as JsonValue, right[at] as JsonValue, depth)) return false;
  }
  return true;
}

function equalMembers(left: JsonObject, right: JsonObject, depth: number): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !jsonEquals(left[key] as JsonValue, right[key] as JsonValue, depth)) return false;
  }
  return true;
}
