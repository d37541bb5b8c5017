import { isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";

/** How a value of a type is treated. */
export type TypeVariant =
  | { readonly kind: "scalar"; readonly type: NonNullable<MergeType["scalar"]> }
  | { readonly kind: "list"; readonly type: ListType }
  | { readonly kind: "map"; readonly type: MapType };

/** The form that a value has among those of its type. Null, and what the type does not allow, take the first there is. */
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
  throw new Error("a type without any form");
}

/** The items of a list; none for anything else. */
export function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

const empty: JsonObject = {};

/** The members of an object; none for anything else. */
export function membersOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : empty;
}

/** The type of a member; undefined when there may be no such member. */
export function memberType({ fields, others }: MapType, name: string): MergeType | undefined {
  return fields.get(name)?.type ?? others;
}
