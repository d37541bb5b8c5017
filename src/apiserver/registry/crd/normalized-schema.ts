import { isJsonObject, type JsonObject, type JsonValue } from "../../../protocol/json-value.ts";
import type { Schema } from "../../../schema/structural-schema.ts";

const bounds = new Set([
  ...["minimum", "maximum", "multipleOf", "minLength", "maxLength"],
  ...["minItems", "maxItems", "minProperties", "maxProperties"],
]);
const single = new Set(["items", "not", "additionalProperties"]);
const lists = new Set(["allOf", "anyOf", "oneOf"]);

/**
 * A schema as the server goes by it: bounds are doubles, however many digits they were written with, and what is null
 * is not there.
 */
export function normalizedSchema(schema: Schema): Schema {
  const members = Object.entries(schema as JsonObject).flatMap(([name, value]) =>
    value === null ? [] : [[name, normalizedMember(name, value)] as const],
  );
  return Object.fromEntries(members) as Schema;
}

function normalizedBranch(branch: JsonObject): Schema {
  return normalizedSchema(branch as Schema);
}

function normalizedMember(name: string, value: JsonValue): unknown {
  if (bounds.has(name)) return Number(value);
  if (single.has(name)) return isJsonObject(value) ? normalizedSchema(value as Schema) : value;
  if (lists.has(name)) return Array.isArray(value) ? value.filter(isJsonObject).map(normalizedBranch) : [];
  if (name !== "properties" || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, normalizedSchema(child as Schema)]));
}
