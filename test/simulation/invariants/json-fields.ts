import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

// Stored objects are read here without the parsers of the product: what judges it must not share its mistakes.

/** What is at the end of a path of fields; undefined when there is nothing. */
export function at(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(
    (inner, field) => (isJsonObject(inner) ? ownValue(inner, field) : undefined),
    value,
  );
}

/** A text, empty when there is none. */
export function textAt(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

/** An integer, 0 when there is none. */
export function amountAt(value: JsonValue | undefined, ...path: readonly string[]): bigint {
  const found = at(value, ...path);
  return typeof found === "number" || typeof found === "bigint" ? BigInt(found) : 0n;
}

export function listAt(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The texts of an object, by their keys. */
export function textsAt(value: JsonValue | undefined, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = at(value, ...path);
  if (!isJsonObject(found)) return {};
  return Object.fromEntries(Object.keys(found).map((key) => [key, textAt(found, key)]));
}

/** The condition of a type, whatever is said of it. */
export function conditionAt(object: JsonObject, type: string): JsonValue | undefined {
  return listAt(object, "status", "conditions").find((condition) => textAt(condition, "type") === type);
}
