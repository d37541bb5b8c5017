import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";

// An unvalidated schema. Members may be missing or of the wrong type, which counts as missing.

export function subschema(schema: JsonObject, name: string): JsonObject | undefined {
  const value = ownValue(schema, name);
  return isJsonObject(value) ? value : undefined;
}

/** The branches of a junctor, or a list of item schemas. */
export function subschemas(schema: JsonObject, name: string): readonly JsonObject[] {
  const value = ownValue(schema, name);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function namedSchemas(schema: JsonObject, name: string): readonly (readonly [string, JsonObject])[] {
  return Object.entries(subschema(schema, name) ?? {}).flatMap(([key, value]) =>
    isJsonObject(value) ? [[key, value] as const] : [],
  );
}

export function textOf(schema: JsonObject, name: string): string {
  const value = ownValue(schema, name);
  return typeof value === "string" ? value : "";
}

export function textsOf(schema: JsonObject, name: string): readonly string[] {
  const value = ownValue(schema, name);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function isSet(schema: JsonObject, name: string): boolean {
  return ownValue(schema, name) === true;
}

/** Present and not null: Kubernetes treats null as absent. */
export function presentValue(schema: JsonObject, name: string): JsonValue | undefined {
  return ownValue(schema, name) ?? undefined;
}

/** Not Go's zero value. */
export function isNonZero(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isJsonObject(value) || Object.keys(value).length > 0;
}

/** Nesting limit of schemas. */
export const schemaDepthMax = 250;

export function isTooDeep(value: JsonValue, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  // A level of a schema takes up to two levels of JSON: the list or map it is in, and itself.
  if (depth > 2 * schemaDepthMax) return true;
  return Object.values(value).some((member) => isTooDeep(member as JsonValue, depth + 1));
}
