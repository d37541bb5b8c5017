import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { shaped } from "@milo-quota/kubernetes/schema/shape-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { ServedKind } from "../../kinds/served-kind.ts";
import { compiledDefinition, schemaDigest } from "../compiled-definition.ts";
import type { Definition, DefinitionVersion } from "../definitions/definition.ts";

/**
 * How objects go between a version and the one they are stored in: by their apiVersion alone, and without what the other
 * schema does not know. Defaults are those of the version that is stored.
 */
export function versionConversion(
  { group, versions }: Definition,
  version: DefinitionVersion,
): Pick<ServedKind, "storage"> {
  const storage = versions.find((each) => each.storage);
  if (storage?.schema === undefined || version.schema === undefined || storage.name === version.name) return {};
  const [stored, shown] = [
    converter(group, storage.name, storage.schema),
    converter(group, version.name, version.schema),
  ];
  return {
    storage: {
      toStored: (object) => stored(object),
      fromStored: (object) => shown(stored(object), "as it is"),
    },
  };
}

type Converter = (object: ApiObject, defaults?: "as it is") => ApiObject;

function converter(group: string, version: string, schema: Schema): Converter {
  const apiVersion = formatApiVersion(group, version);
  const digest = schemaDigest(schema);
  const bare = withoutDefaults(schema);
  const bareDigest = schemaDigest(bare);
  return (object, defaults) => {
    const { schema: compiled } =
      defaults === undefined ? compiledDefinition(schema, digest) : compiledDefinition(bare, bareDigest);
    return shaped(compiled, { ...(object as JsonObject), apiVersion }, true).value as unknown as ApiObject;
  };
}

/** A schema by which objects are pruned and nothing is filled in. */
function withoutDefaults(schema: Schema): Schema {
  const { default: _, ...rest } = schema as JsonObject;
  const inner = (value: JsonValue | undefined): JsonValue =>
    isJsonObject(value) ? (withoutDefaults(value as Schema) as JsonObject) : (value ?? null);
  const { properties, items, additionalProperties } = rest;
  const named = isJsonObject(properties)
    ? Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, inner(property)]))
    : undefined;
  return {
    ...rest,
    ...(named === undefined ? {} : { properties: named }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: inner(additionalProperties) }),
  } as Schema;
}
