import { type JsonValue, jsonEquals, ownValue } from "../../../../protocol/json-value.ts";
import { type FieldSet, recursiveDifference } from "./field-set.ts";
import { FieldDraft } from "./field-set-draft.ts";
import { itemsByName, type NamedItem, namedItems } from "./list-items.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { type Form, formOf, itemsOf, membersOf, memberType } from "./value-form.ts";

/** Which fields one object has and another has not, or has otherwise. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compareObjects(type: MergeType, before: JsonValue, after: JsonValue): Comparison {
  const draft = new ComparisonDraft(new FieldDraft(), new FieldDraft(), new FieldDraft());
  compare(type, before, after, draft);
  return { added: draft.added.done(), modified: draft.modified.done(), removed: draft.removed.done() };
}

/** A comparison without some fields and all that is below them. */
export function withoutFields({ added, modified, removed }: Comparison, fields: FieldSet): Comparison {
  return {
    added: recursiveDifference(added, fields),
    modified: recursiveDifference(modified, fields),
    removed: recursiveDifference(removed, fields),
  };
}

type Side = JsonValue | undefined;

class ComparisonDraft {
  readonly added: FieldDraft;
  readonly modified: FieldDraft;
  readonly removed: FieldDraft;

  constructor(added: FieldDraft, modified: FieldDraft, removed: FieldDraft) {
    this.added = added;
    this.modified = modified;
    this.removed = removed;
  }

  at(element: PathElement): ComparisonDraft {
    return new ComparisonDraft(this.added.at(element), this.modified.at(element), this.removed.at(element));
  }

  /** Notes that a field is on one side only. */
  oneSided(before: Side, after: Side): void {
    if (before === undefined) this.added.isMember = true;
    else if (after === undefined) this.removed.isMember = true;
  }
}

/** At least one side is there. Sides of two forms are compared in each. */
function compare(type: MergeType, before: Side, after: Side, draft: ComparisonDraft): void {
  const forms = [after, before].filter((side) => side !== undefined).map((side) => formOf(type, side));
  const [first, second] = forms as [Form, Form?];
  if (second !== undefined && second.kind !== first.kind) compareAs(second, before, after, draft);
  if (!compareAs(first, before, after, draft)) draft.oneSided(before, after);
}

/** Gives whether the field is a leaf, which has been dealt with. */
function compareAs(form: Form, before: Side, after: Side, draft: ComparisonDraft): boolean {
  if (form.kind === "map" && !form.type.isAtomic && hasMembers(before, after)) {
    compareMembers(form.type, before, after, draft);
    return false;
  }
  if (form.kind === "list" && form.type.kind !== "atomic" && hasItems(before, after)) {
    compareItems(form.type, before, after, draft);
    return false;
  }
  draft.oneSided(before, after);
  if (before !== undefined && after !== undefined && !jsonEquals(before, after)) draft.modified.isMember = true;
  return true;
}

export function hasMembers(...sides: readonly Side[]): boolean {
  return sides.some((side) => Object.keys(membersOf(side)).length > 0);
}

export function hasItems(...sides: readonly Side[]): boolean {
  return sides.some((side) => itemsOf(side).length > 0);
}

function compareMembers(map: MapType, before: Side, after: Side, draft: ComparisonDraft): void {
  const [left, right] = [membersOf(before), membersOf(after)];
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const type = memberType(map, name);
    if (type !== undefined) compare(type, ownValue(left, name), ownValue(right, name), draft.at(fieldElement(name)));
  }
}

function compareItems(list: ListType, before: Side, after: Side, draft: ComparisonDraft): void {
  const left = itemsByName(namedItems(list, itemsOf(before)));
  const right = itemsByName(namedItems(list, itemsOf(after)));
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    compareSameName(list, left.get(name) ?? [], right.get(name) ?? [], draft);
  }
}

/** Items that share a name are one field without anything below it, as long as they are more than one. */
function compareSameName(
  list: ListType,
  before: readonly NamedItem[],
  after: readonly NamedItem[],
  draft: ComparisonDraft,
): void {
  const [left, right] = [before[0], after[0]];
  const at = draft.at(((left ?? right) as NamedItem).element);
  if (before.length > 1 && after.length > 1) {
    if (!jsonEquals(before.map(itemValue), after.map(itemValue))) at.modified.isMember = true;
  } else if (before.length > 1) {
    if (right !== undefined) compare(list.items, undefined, right.value, at);
    at.removed.isMember = true;
  } else if (after.length > 1) {
    if (left !== undefined) compare(list.items, left.value, undefined, at);
    at.added.isMember = true;
  } else {
    compare(list.items, left?.value, right?.value, at);
  }
}

function itemValue({ value }: NamedItem): JsonValue {
  return value;
}
