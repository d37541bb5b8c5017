import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import { objectMetaSchema, withMetadata } from "./object-meta-schema.ts";

/** How values are owned and merged. A type may have several variants; the value selects one. */
export interface MergeType {
  readonly scalar?: "numeric" | "string" | "boolean" | "untyped" | undefined;
  readonly list?: ListType | undefined;
  readonly map?: MapType | undefined;
}

export interface ListType {
  /** An atomic list has one owner; items of a set or map list have their own. */
  readonly kind: "atomic" | "set" | "map";
  readonly keys: readonly string[];
  readonly items: MergeType;
}

export interface MapType {
  readonly isAtomic: boolean;
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The type of members that are not declared; undefined when there may be none. */
  readonly others: MergeType | undefined;
}

export interface FieldType {
  readonly type: MergeType;
  readonly default: JsonValue | undefined;
}

const atomic: MergeType = {
  scalar: "untyped",
  get list() {
    return { kind: "atomic", keys: [], items: atomic } as const;
  },
  get map() {
    return { isAtomic: true, fields: new Map(), others: atomic } as const;
  },
};

/** The type of values without a schema: objects merge, lists are atomic. */
export const deducedType: MergeType = {
  scalar: "untyped",
  list: { kind: "atomic", keys: [], items: atomic },
  get map() {
    return { isAtomic: false, fields: new Map(), others: deducedType } as const;
  },
};

const typeCache = new WeakMap<Schema, MergeType>();

/** The type of a whole object; cached by schema. */
export function mergeTypeOf(schema: Schema): MergeType {
  const found = typeCache.get(schema);
  if (found !== undefined) return found;
  const type = typeOf(withMetadata(schema), false);
  typeCache.set(schema, type);
  return type;
}

/** Whether nothing is declared about a map's members. */
export function isDeducedMap({ fields, others }: MapType): boolean {
  return fields.size === 0 && others?.scalar === "untyped";
}

/** `isOpen`: an ancestor preserves unknown fields, which applies to everything below it. */
function typeOf(schema: Schema, isOpen: boolean): MergeType {
  const opens = isOpen || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const whole = schema["x-kubernetes-embedded-resource"] === true ? withMetadata(schema) : schema;
  const list = once(() => listType(schema, opens));
  const map = once(() => mapType(whole, opens));
  switch (schema.type) {
    case undefined:
      return new LazyType("untyped", list, map);
    case "object":
      return new LazyType(undefined, undefined, map);
    case "array":
      return new LazyType(undefined, list, undefined);
    case "string":
      return { scalar: schema.format === undefined || schema.format === "byte" ? "string" : "untyped" };
    case "boolean":
      return { scalar: "boolean" };
    default:
      return { scalar: "numeric" };
  }
}

/** Parts are built on demand: a schema may be recursive. */
class LazyType implements MergeType {
  readonly #list: (() => ListType) | undefined;
  readonly #map: (() => MapType) | undefined;

  readonly scalar: MergeType["scalar"];

  constructor(scalar: MergeType["scalar"], list: (() => ListType) | undefined, map: (() => MapType) | undefined) {
    this.scalar = scalar;
    this.#list = list;
    this.#map = map;
  }

  get list(): ListType | undefined {
    return this.#list?.();
  }

  get map(): MapType | undefined {
    return this.#map?.();
  }
}

function once<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function listType(schema: Schema, isOpen: boolean): ListType {
  const items = schema.items === undefined ? atomic : typeOf(schema.items, isOpen);
  const strategy = schema["x-kubernetes-patch-strategy"]?.split(",").includes("merge");
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  const kind = schema["x-kubernetes-list-type"] ?? (strategy ? (mergeKey === undefined ? "set" : "map") : "atomic");
  if (kind !== "map") return { kind, keys: [], items };
  return { kind, keys: schema["x-kubernetes-list-map-keys"] ?? (mergeKey === undefined ? [] : [mergeKey]), items };
}

function mapType(schema: Schema, isOpen: boolean): MapType {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    // Metadata is the same everywhere: it is never open.
    const type = typeOf(field, field !== objectMetaSchema && isOpen);
    return [name, { type, default: field.default ?? zeroOf(field) }] as const;
  });
  return {
    isAtomic: schema["x-kubernetes-map-type"] === "atomic",
    fields: new Map(fields),
    others: othersType(schema, isOpen),
  };
}

function othersType({ properties, additionalProperties }: Schema, isOpen: boolean): MergeType | undefined {
  if (typeof additionalProperties === "object") return typeOf(additionalProperties, isOpen);
  if (additionalProperties !== undefined) return additionalProperties ? deducedType : undefined;
  return isOpen || Object.keys(properties ?? {}).length === 0 ? deducedType : undefined;
}

/** A required field of a built-in kind has its type's zero value; key fields of custom kinds are never nullable. */
function zeroOf({ nullable, type }: Schema): JsonValue | undefined {
  if (nullable !== true) return undefined;
  return type === "string" ? "" : type === "integer" ? 0 : undefined;
}
