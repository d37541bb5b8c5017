import { isJsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { FieldSet } from "./field-set.ts";
import { FieldDraft } from "./field-set-draft.ts";
import { itemsByName, namedItems } from "./list-items.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { fieldElement, indexElement } from "./path-element.ts";
import { itemsOf, membersOf, memberType, variantOf } from "./type-variant.ts";

/** All fields of an object: leaves, list items, map members. */
export function fieldsOf(type: MergeType, object: JsonValue): FieldSet {
  const draft = new FieldDraft();
  collect(type, object, draft);
  return draft.done();
}

function collect(type: MergeType, value: JsonValue, draft: FieldDraft): void {
  const form = variantOf(type, value);
  if (form.kind === "map" && !form.type.isAtomic) collectMembers(form.type, value, draft);
  else if (form.kind === "list" && form.type.kind !== "atomic") collectItems(form.type, value, draft);
  else draft.isMember = true;
}

/** A struct field is in the set by its children; a map member, and an empty field, by itself. */
function collectMembers(map: MapType, value: JsonValue, draft: FieldDraft): void {
  for (const [name, member] of Object.entries(membersOf(value))) {
    const type = memberType(map, name);
    const at = draft.at(fieldElement(name));
    if (type !== undefined) collect(type, member, at);
    const holdsNothing = member === null || (isJsonObject(member) && Object.keys(member).length === 0);
    if (holdsNothing || !map.fields.has(name)) at.isMember = true;
  }
}

/** The path element of items without a name. */
const nameless = indexElement(-1);

/**
 * Items with the same name are owned as one, without their content. An item that lost its name by pruning still keeps
 * its list in the set.
 */
function collectItems(list: ListType, value: JsonValue, draft: FieldDraft): void {
  const items = namedItems(list, itemsOf(value));
  if (items.length < itemsOf(value).length) draft.at(nameless).isMember = true;
  for (const [first, ...others] of itemsByName(items).values()) {
    if (first === undefined) continue;
    const at = draft.at(first.element);
    at.isMember = true;
    if (others.length === 0) collect(list.items, first.value, at);
  }
}
