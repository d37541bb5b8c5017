import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { given, isFilled, namedSchemas, subschema, subschemas } from "./raw-schema.ts";

const unsupported = [
  ["id", "id"],
  ["$schema", "schema"],
  ["$ref", "$ref"],
  ["patternProperties", "patternProperties"],
  ["dependencies", "dependencies"],
  ["additionalItems", "additionalItems"],
  ["definitions", "definitions"],
] as const;

/** Why a schema cannot even be asked whether it is structural. */
export function unstructuralFault(schema: JsonObject): string | undefined {
  const used = unsupported.find(([field]) =>
    field === "additionalItems" ? given(schema, field) !== undefined : isFilled(given(schema, field)),
  );
  if (used !== undefined) return `OpenAPIV3Schema '${used[1]}' is not supported`;
  if (given(schema, "x-kubernetes-preserve-unknown-fields") === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (subschemas(schema, "items").length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const child of everyChild(schema)) {
    const fault = unstructuralFault(child);
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
