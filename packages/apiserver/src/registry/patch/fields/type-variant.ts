import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";

/** How a value of a type is treated. */
export type TypeVariant =
  | { readonly kind: "scalar"; readonly type: NonNullable<MergeType["scalar"]> }
  | { readonly kind: "list"; readonly type: ListType }
  | { readonly kind: "map"; readonly type: MapType };

/** The variant of a type that applies to a value. Null and values of the wrong type use the first variant. */
export function variantOf(type: MergeType, value: JsonValue): TypeVariant {
  if (Array.isArray(value)) {
    if (type.list !== undefined) return { kind: "list", type: type.list };
  } else if (isJsonObject(value)) {
    if (type.map !== undefined) return { kind: "map", type: type.map };
  } else if (value !== null && type.scalar !== undefined) {
    return { kind: "scalar", type: type.scalar };
  }
  return firstVariant(type);
}

export function firstVariant({ map, scalar, list }: MergeType): TypeVariant {
  if (map !== undefined) return { kind: "map", type: map };
  if (scalar !== undefined) return { kind: "scalar", type: scalar };
  if (list !== undefined) return { kind: "list", type: list };
  throw new Error("a type without variants");
}

/** The items of a list; empty for any other value. */
export function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

const empty: JsonObject = {};

/** The members of an object; empty for any other value. */
export function membersOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : empty;
}

/** The type of a member; undefined when it is not allowed. */
export function memberType({ fields, others }: MapType, name: string): MergeType | undefined {
  return fields.get(name)?.type ?? others;
}
