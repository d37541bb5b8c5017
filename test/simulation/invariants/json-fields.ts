import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

// Invariants read stored objects without the parsers of the product, so that they do not share its bugs.

/** The value at a path of fields; undefined if there is none. */
export function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (inner, field) => (isJsonObject(inner) ? ownValue(inner, field) : undefined),
    value,
  );
}

/** The string at a path; empty if there is none. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The integer at a path; 0 if there is none. */
export function amountAt(value: JsonValue | undefined, ...path: readonly string[]): bigint {
  const found = at(value, ...path);
  return typeof found === "number" || typeof found === "bigint" ? BigInt(found) : 0n;
}

export function listAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The strings of the object at a path. */
export function textsAt(value: JsonValue | undefined, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = at(value, ...path);
  if (!isJsonObject(found)) return {};
  return Object.fromEntries(Object.keys(found).map((key) => [key, textAt(found, key)]));
}

/** The status condition of a type. */
export function conditionAt(object: JsonObject, type: string): JsonValue | undefined {
  return listAt(object, "status", "conditions").find((condition) => textAt(condition, "type") === type);
}
