import type { JsonValue } from "../../../protocol/json-value.ts";
import type { Schema } from "../../../schema/structural-schema.ts";

/** The schema without defaults that are null: to Kubernetes they are no defaults. */
export function prunedDefaults(schema: Schema): Schema {
  const { default: fallback, properties, items, additionalProperties, ...rest } = schema;
  return {
    ...rest,
    ...(fallback === undefined || fallback === (null as JsonValue) ? {} : { default: fallback }),
    ...(properties === undefined ? {} : { properties: mapped(properties) }),
    ...(items === undefined ? {} : { items: prunedDefaults(items) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === "object" ? prunedDefaults(additionalProperties) : additionalProperties,
        }),
  };
}

function mapped(properties: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
  return Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, prunedDefaults(child)]));
}
