import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { isNonZero, namedSchemas, presentValue, subschema, subschemas } from "./raw-schema.ts";

const unsupported = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["additionalItems", "additionalItems"],
  ["definitions", "definitions"],
] as const;

/** Why a schema cannot be converted to a structural one. */
export function structuralConversionError(schema: JsonObject): string | undefined {
  const used = unsupported.find(([field]) =>
    field === "additionalItems" ? presentValue(schema, field) !== undefined : isNonZero(presentValue(schema, field)),
  );
  if (used !== undefined) return `OpenAPIV3Schema '${used[1]}' is not supported`;
  if (presentValue(schema, "x-kubernetes-preserve-unknown-fields") === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (subschemas(schema, "items").length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const child of everyChild(schema)) {
    const fault = structuralConversionError(child);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

export function everyChild(schema: JsonObject): readonly JsonObject[] {
  return [
    ...["not", "items", "additionalProperties"]
      .map((name) => subschema(schema, name))
      .filter((child) => child !== undefined),
    ...["allOf", "anyOf", "oneOf"].flatMap((name) => subschemas(schema, name)),
    ...namedSchemas(schema, "properties").map(([, child]) => child),
  ];
}
