import type { CompiledSchema } from "@milo-quota/kubernetes/schema/compiled-schema.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { fieldDescription, structDescription } from "../descriptions.ts";
import { type GoType, type OpaqueName, pointee } from "./go-type.ts";
import { type StructField, structOf } from "./struct-table.ts";

const compiledStructs = new Map<string, CompiledSchema>();

/**
 * The schema of a struct, for defaulting, pruning, merging and applying. Recursive types make recursive schemas, so the
 * parts of a struct are built on first use. It does not validate: `decodeIssue` and the rules of the kind do, as in
 * Kubernetes.
 */
export function structSchema(name: string): CompiledSchema {
  let compiled = compiledStructs.get(name);
  if (compiled === undefined) {
    compiled = new LazySchema({ description: structDescription(name), mapType: structOf(name).mapType }, () => name);
    compiledStructs.set(name, compiled);
  }
  return compiled;
}

interface StructOptions {
  readonly description: string | undefined;
  readonly mapType: StructField["mapType"];
}

const empty: ReadonlyMap<string, CompiledSchema> = new Map();

/** The compiled schema of a struct; fields are compiled on first use. */
class LazySchema implements CompiledSchema {
  readonly schema: Schema;
  readonly required = [];
  readonly additional = undefined;
  readonly items = undefined;
  readonly pattern = undefined;
  readonly format = undefined;
  readonly junctors = undefined;
  readonly rules = [];
  readonly hasRules = false;
  // Only an apply rejects duplicates in these lists; other writes may have them.
  readonly hasKeyedLists = false;
  readonly hasEmbedded = false;
  readonly #name: () => string;
  #properties: ReadonlyMap<string, CompiledSchema> | undefined;
  #defaults: readonly string[] | undefined;

  constructor({ description, mapType }: StructOptions, name: () => string) {
    this.#name = name;
    const properties = (): ReadonlyMap<string, CompiledSchema> => this.properties;
    let schemas: Readonly<Record<string, Schema>> | undefined;
    this.schema = {
      type: "object",
      ...(description === undefined ? {} : { description }),
      ...(mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }),
      get properties(): Readonly<Record<string, Schema>> {
        schemas ??= Object.fromEntries([...properties()].map(([field, { schema }]) => [field, schema]));
        return schemas;
      },
    };
  }

  get properties(): ReadonlyMap<string, CompiledSchema> {
    this.#properties ??= new Map(
      [...structOf(this.#name()).fields.values()].map((field) => [field.name, compiledField(this.#name(), field)]),
    );
    return this.#properties;
  }

  get defaults(): readonly string[] {
    this.#defaults ??= [...this.properties]
      .filter(([, { schema }]) => schema.default !== undefined)
      .map(([name]) => name);
    return this.#defaults;
  }
}

function compiledField(struct: string, field: StructField): CompiledSchema {
  const description = fieldDescription(struct, field.name);
  const type = pointee(field.type);
  if (type.form === "struct") {
    const mapType = field.mapType ?? structOf(type.name).mapType;
    return new LazySchema({ description: description ?? structDescription(type.name), mapType }, () => type.name);
  }
  return compiledType(type, { ...fieldOptions(field), ...(description === undefined ? {} : { description }) });
}

function fieldOptions({ list, patch, mapType, default: fallback, type, omits }: StructField): Schema {
  return {
    // Nullable fields stay null, or they would differ after each write.
    ...(omits === undefined || (type.form === "opaque" && omits === "omitempty") ? { nullable: true } : {}),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(list === undefined ? {} : { "x-kubernetes-list-type": list.type }),
    ...(list === undefined || list.keys.length === 0 ? {} : { "x-kubernetes-list-map-keys": list.keys }),
    ...(patch === undefined ? {} : { "x-kubernetes-patch-strategy": patch.strategy }),
    ...(patch?.mergeKey === undefined ? {} : { "x-kubernetes-patch-merge-key": patch.mergeKey }),
    ...(mapType === undefined ? {} : { "x-kubernetes-map-type": mapType }),
  };
}

function compiledType(type: GoType, facts: Schema): CompiledSchema {
  switch (type.form) {
    case "struct":
      return structSchema(type.name);
    case "slice": {
      const items = compiledType(pointee(type.of), {});
      return plain({ type: "array", items: items.schema, ...facts }, { items });
    }
    case "map": {
      const additional = compiledType(pointee(type.of), {});
      return plain({ type: "object", additionalProperties: additional.schema, ...facts }, { additional });
    }
    case "opaque":
      return opaqueSchema(type.name, facts);
    case "pointer":
      return compiledType(type.of, facts);
    default:
      return plain({ ...scalarSchemas[type.form], ...facts }, {});
  }
}

export const scalarSchemas = {
  string: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  bytes: { type: "string", format: "byte" },
} as const satisfies Readonly<Record<string, Schema>>;

function opaqueSchema(name: OpaqueName, facts: Schema): CompiledSchema {
  switch (name) {
    case "meta.v1.Time":
    case "meta.v1.MicroTime":
      return plain({ type: "string", format: "date-time", ...facts }, {});
    case "intstr.IntOrString":
      return plain({ "x-kubernetes-int-or-string": true, ...facts }, {});
    case "resource.Quantity":
      return plain({ anyOf: [{ type: "string" }, { type: "number" }], ...facts }, {});
    case "meta.v1.FieldsV1":
    case "runtime.RawExtension":
      return plain({ type: "object", "x-kubernetes-preserve-unknown-fields": true, ...facts }, { additional: true });
    case "apiextensions.v1.JSON":
    case "apiextensions.v1.JSONSchemaPropsOrBool":
    case "apiextensions.v1.JSONSchemaPropsOrArray":
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return plain({ "x-kubernetes-preserve-unknown-fields": true, ...facts }, { additional: true });
    default:
      throw new Error(`unknown type ${name satisfies never}`);
  }
}

function plain(schema: Schema, parts: Partial<Pick<CompiledSchema, "items" | "additional">>): CompiledSchema {
  return {
    schema,
    properties: empty,
    required: [],
    defaults: [],
    additional: undefined,
    items: undefined,
    pattern: undefined,
    format: undefined,
    junctors: undefined,
    rules: [],
    hasRules: false,
    hasKeyedLists: false,
    hasEmbedded: false,
    ...parts,
  };
}
