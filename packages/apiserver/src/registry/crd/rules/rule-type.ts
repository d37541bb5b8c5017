import type { Type } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { type SchemaShape, schemaType } from "@milo-quota/kubernetes/cel/schema-type.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";

/** The metadata fields that rules may use. */
const objectFields: Readonly<Record<string, SchemaShape>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
};

/**
 * The CEL type of a value in rules. Undefined where rules have no access: values without a type, and lists and maps of
 * them. `isRoot` for the object itself.
 */
export function ruleType(schema: Schema, isRoot: boolean): Type | undefined {
  const shape = visibleShape(schema, isRoot);
  return shape === undefined ? undefined : schemaType(shape);
}

function visibleShape(
  schema: Schema,
  isRoot = schema["x-kubernetes-embedded-resource"] === true,
): SchemaShape | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return { "x-kubernetes-int-or-string": true };
  switch (schema.type) {
    case "array":
      return listShape(schema);
    case "object":
      return objectShape(schema, isRoot);
    case "string":
      return { type: "string", ...(timeFormats.has(schema.format ?? "") ? { format: schema.format as string } : {}) };
    case undefined:
      return undefined;
    default:
      return { type: schema.type };
  }
}

/** Formats that have a CEL type other than string. */
const timeFormats = new Set(["date", "date-time", "duration", "byte"]);

function listShape({ items }: Schema): SchemaShape | undefined {
  const shape = items === undefined ? undefined : visibleShape(items);
  return shape === undefined ? undefined : { type: "array", items: shape };
}

function objectShape(schema: Schema, isRoot: boolean): SchemaShape | undefined {
  const { additionalProperties, properties = {} } = schema;
  if (typeof additionalProperties === "object") {
    const values = visibleShape(additionalProperties);
    return values === undefined ? undefined : { type: "object", additionalProperties: values };
  }
  const visible = Object.entries(properties).flatMap(([name, child]) => {
    const shape = visibleShape(child);
    return shape === undefined ? [] : [[name, shape] as const];
  });
  return { type: "object", properties: { ...Object.fromEntries(visible), ...(isRoot ? objectFields : {}) } };
}
