import { type JsonValue, setOwn } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type FieldSet, isEmptySet } from "./field-set.ts";
import { nameItem } from "./list-items.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { deducedType } from "./merge-type.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { itemsOf, membersOf, memberType, variantOf } from "./type-variant.ts";

/** A value without the members and items of a set; null when nothing is left. */
export function removeFields(type: MergeType, value: JsonValue, fields: FieldSet): JsonValue {
  const form = variantOf(type, value);
  if (form.kind === "scalar") return value;
  if (form.kind === "list") return removeItems(form.type, value, fields);
  return removeMembers(form.type, value, fields);
}

function removeItems(list: ListType, value: JsonValue, fields: FieldSet): JsonValue {
  if (list.kind === "atomic") return null;
  const kept = itemsOf(value).flatMap((item) => {
    const name = nameItem(list, item);
    const left = name.ok ? removeChild(list.items, item, fields, name.element) : item;
    return left === undefined ? [] : [left];
  });
  return kept.length > 0 ? kept : null;
}

function removeMembers(map: MapType, value: JsonValue, fields: FieldSet): JsonValue {
  if (map.isAtomic) return null;
  const kept: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(membersOf(value))) {
    const left = removeChild(memberType(map, name) ?? deducedType, member, fields, fieldElement(name));
    if (left !== undefined) setOwn(kept, name, left);
  }
  return Object.keys(kept).length > 0 ? kept : null;
}

function removeChild(type: MergeType, value: JsonValue, fields: FieldSet, element: PathElement): JsonValue | undefined {
  const node = fields.get(element.text);
  if (node === undefined) return value;
  if (node.isMember) return undefined;
  return isEmptySet(node.below) ? value : removeFields(type, value, node.below);
}
