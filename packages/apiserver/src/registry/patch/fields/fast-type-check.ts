import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { memberType } from "./type-variant.ts";

/**
 * Fast check that a value has its type and is not too deep, without allocations; nearly all values pass. False means
 * that the full check is needed, which can also explain.
 */
export function passesFastTypeCheck(type: MergeType, value: JsonValue, depth = 0): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return type.scalar !== undefined && isScalarOf(type.scalar, value);
  if (depth > depthMax) return false;
  if (isJsonObject(value)) {
    const { map } = type;
    return map !== undefined && areMembersOf(map, value, depth + 1);
  }
  const { list } = type;
  return list !== undefined && areItemsOf(list, value, depth + 1);
}

/** Parts of objects that passed, with their type. They are immutable. */
const typed = new WeakMap<object, MergeType>();

/** The same for a whole object; parts that already passed in another object are skipped. */
export function objectPassesFastTypeCheck({ map }: MergeType, object: JsonObject): boolean {
  if (map === undefined) return false;
  for (const name of Object.keys(object)) {
    const type = memberType(map, name);
    // Metadata is a new object in every version.
    const isTyped = name === "metadata" ? isInner : isPartOf;
    if (type === undefined || !isTyped(type, object[name] as JsonValue)) return false;
  }
  return true;
}

function isInner(type: MergeType, part: JsonValue): boolean {
  return passesFastTypeCheck(type, part, 1);
}

function isPartOf(type: MergeType, part: JsonValue): boolean {
  if (typeof part !== "object" || part === null) return isInner(type, part);
  if (typed.get(part) === type) return true;
  if (!isInner(type, part)) return false;
  typed.set(part, type);
  return true;
}

function isScalarOf(scalar: NonNullable<MergeType["scalar"]>, value: JsonValue): boolean {
  if (scalar === "untyped") return true;
  if (scalar === "numeric") return typeof value === "number" || typeof value === "bigint";
  return typeof value === scalar;
}

function areMembersOf(map: MapType, object: JsonObject, depth: number): boolean {
  for (const name of Object.keys(object)) {
    const type = memberType(map, name);
    if (type === undefined || !passesFastTypeCheck(type, object[name] as JsonValue, depth)) return false;
  }
  return true;
}

function areItemsOf(list: ListType, items: readonly JsonValue[], depth: number): boolean {
  for (const item of items) {
    if (list.kind !== "atomic" && !hasName(list, item)) return false;
    if (!passesFastTypeCheck(list.items, item, depth)) return false;
  }
  return true;
}

function hasName({ kind, keys }: ListType, item: JsonValue): boolean {
  if (kind === "set") return typeof item !== "object";
  return isJsonObject(item) && keys.some((key) => Object.hasOwn(item, key));
}
