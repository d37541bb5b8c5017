import { isJsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** Access to values that may not be validated yet. Missing fields and those of another type are undefined. */

export function field(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? ownValue(value, name) : undefined;
}

export function has(value: JsonValue | undefined, name: string): boolean {
  return isJsonObject(value) && Object.hasOwn(value, name);
}

export function items(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
