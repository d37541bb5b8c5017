import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { pruneAndDefault } from "@milo-quota/kubernetes/schema/prune-and-default.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import type { ApiObject } from "../../kinds/api-object.ts";
import type { ServedKind } from "../../kinds/served-kind.ts";
import { compileDefinition, schemaDigest } from "../compile-definition.ts";
import type { Definition, DefinitionVersion } from "../definitions/definition.ts";

/**
 * Conversion between a version and the storage version: apiVersion changes, and fields unknown to the other schema are
 * pruned. Defaults are those of the storage version.
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
      defaults === undefined ? compileDefinition(schema, digest) : compileDefinition(bare, bareDigest);
    return pruneAndDefault(compiled, { ...(object as JsonObject), apiVersion }, true).value as unknown as ApiObject;
  };
}

/** A schema that prunes without defaulting. */
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
