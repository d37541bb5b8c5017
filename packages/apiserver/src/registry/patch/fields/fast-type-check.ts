import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { memberType } from "./type-variant.ts";

/**
 * Whether a value is of its type at a glance, and not too deep: nearly every one is, and this says so without making
 * anything. What it does not see takes a closer look, which can say why not.
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

/** Parts of objects that are of their type, and of which. Nobody changes them. */
const typed = new WeakMap<object, MergeType>();

/** The same for a whole object; parts of it that were looked at before, in another object, are known. */
export function objectPassesFastTypeCheck({ map }: MergeType, object: JsonObject): boolean {
  if (map === undefined) return false;
  for (const name of Object.keys(object)) {
    const type = memberType(map, name);
    // Metadata is another object in every state.
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
