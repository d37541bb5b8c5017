import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

/** Reads a member of a schema; undefined when it counts as absent. */
type Reading = (value: JsonValue) => unknown;

const bound: Reading = (value) => (typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined);
const text: Reading = (value) => (typeof value === "string" ? value : undefined);
const list: Reading = (value) => (Array.isArray(value) ? value : undefined);
const texts: Reading = (value) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined);
const objects: Reading = (value) => (Array.isArray(value) ? value.filter(isJsonObject) : undefined);
const schema: Reading = (value) => (isJsonObject(value) ? normalizedSchema(value as Schema) : undefined);
const schemas: Reading = (value) => (Array.isArray(value) ? value.filter(isJsonObject).map(schema) : undefined);
const schemaOrFlag: Reading = (value) => (typeof value === "boolean" ? value : schema(value));
const namedSchemas: Reading = (value) => {
  if (!isJsonObject(value)) return undefined;
  const named = Object.entries(value).filter(([, child]) => isJsonObject(child));
  return Object.fromEntries(named.map(([name, child]) => [name, schema(child)]));
};

const namesByReading: readonly (readonly [Reading, readonly string[]])[] = [
  [bound, ["minimum", "maximum", "multipleOf", "minLength", "maxLength"]],
  [bound, ["minItems", "maxItems", "minProperties", "maxProperties"]],
  [text, ["type", "format", "pattern", "x-kubernetes-list-type", "x-kubernetes-map-type"]],
  [list, ["enum"]],
  [texts, ["required", "x-kubernetes-list-map-keys"]],
  [objects, ["x-kubernetes-validations"]],
  [schema, ["items", "not"]],
  [schemas, ["allOf", "anyOf", "oneOf"]],
  [schemaOrFlag, ["additionalProperties"]],
  [namedSchemas, ["properties"]],
];
const readings = new Map(namesByReading.flatMap(([reading, names]) => names.map((name) => [name, reading] as const)));
const asItIs: Reading = (value) => value;

/**
 * A normalized schema: bounds are doubles, however many digits they were written with, and members that are null or of
 * the wrong type are removed.
 */
export function normalizedSchema(raw: Schema): Schema {
  const members = Object.entries(raw as JsonObject).flatMap(([name, value]) => {
    const member = value === null ? undefined : (readings.get(name) ?? asItIs)(value);
    return member === undefined ? [] : [[name, member] as const];
  });
  return Object.fromEntries(members) as Schema;
}
