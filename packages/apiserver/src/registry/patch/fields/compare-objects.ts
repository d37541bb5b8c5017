import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  jsonEquals,
  ownValue,
} from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type FieldSet, noFields, recursiveDifference } from "./field-set.ts";
import { FieldDraft } from "./field-set-draft.ts";
import { itemsByName, type NamedItem, namedItems } from "./list-items.ts";
import type { ListType, MapType, MergeType } from "./merge-type.ts";
import { fieldElement, type PathElement } from "./path-element.ts";
import { itemsOf, membersOf, memberType, type TypeVariant, variantOf } from "./type-variant.ts";

/** The fields that two objects do not have in common, or have with different values. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compareObjects(type: MergeType, before: JsonValue, after: JsonValue): Comparison {
  const draft = new ComparisonDraft();
  compare(type, before, after, draft);
  const { added, modified, removed } = draft;
  return {
    added: added?.done() ?? noFields,
    modified: modified?.done() ?? noFields,
    removed: removed?.done() ?? noFields,
  };
}

/** A comparison without some fields and everything below them. */
export function withoutFields({ added, modified, removed }: Comparison, fields: FieldSet): Comparison {
  return {
    added: recursiveDifference(added, fields),
    modified: recursiveDifference(modified, fields),
    removed: recursiveDifference(removed, fields),
  };
}

type Side = JsonValue | undefined;

type Outcome = keyof Comparison;

/** A node in both objects. The three sets are created on demand. */
class ComparisonDraft {
  readonly #above: ComparisonDraft | undefined;
  readonly #element: PathElement | undefined;
  added: FieldDraft | undefined;
  modified: FieldDraft | undefined;
  removed: FieldDraft | undefined;

  constructor(above?: ComparisonDraft, element?: PathElement) {
    this.#above = above;
    this.#element = element;
  }

  at(element: PathElement): ComparisonDraft {
    return new ComparisonDraft(this, element);
  }

  note(outcome: Outcome): void {
    this.#draftOf(outcome).isMember = true;
  }

  /** Records that a field is on one side only. */
  oneSided(before: Side, after: Side): void {
    if (before === undefined) this.note("added");
    else if (after === undefined) this.note("removed");
  }

  #draftOf(outcome: Outcome): FieldDraft {
    const existing = this[outcome];
    if (existing !== undefined) return existing;
    const draft =
      this.#above === undefined || this.#element === undefined
        ? new FieldDraft()
        : this.#above.#draftOf(outcome).at(this.#element);
    this[outcome] = draft;
    return draft;
  }
}

/** At least one side exists. Values of different variants are compared by each. */
function compare(type: MergeType, before: Side, after: Side, draft: ComparisonDraft): void {
  const first = variantOf(type, (after === undefined ? before : after) as JsonValue);
  const second = after === undefined || before === undefined ? undefined : variantOf(type, before);
  if (second !== undefined && second.kind !== first.kind) compareAs(second, before, after, draft);
  if (!compareAs(first, before, after, draft)) draft.oneSided(before, after);
}

/** Returns whether the field is a leaf, which needs no further comparison. */
function compareAs(form: TypeVariant, before: Side, after: Side, draft: ComparisonDraft): boolean {
  if (form.kind === "map" && !form.type.isAtomic && hasMembers(before, after)) {
    compareMembers(form.type, before, after, draft);
    return false;
  }
  if (form.kind === "list" && form.type.kind !== "atomic" && hasItems(before, after)) {
    compareItems(form.type, before, after, draft);
    return false;
  }
  draft.oneSided(before, after);
  if (before !== undefined && after !== undefined && !jsonEquals(before, after)) draft.note("modified");
  return true;
}

export function hasMembers(...sides: readonly Side[]): boolean {
  return sides.some((side) => isJsonObject(side) && hasOwnKey(side));
}

function hasOwnKey(object: JsonObject): boolean {
  for (const key in object) if (Object.hasOwn(object, key)) return true;
  return false;
}

export function hasItems(...sides: readonly Side[]): boolean {
  return sides.some((side) => itemsOf(side).length > 0);
}

function compareMembers(map: MapType, before: Side, after: Side, draft: ComparisonDraft): void {
  const [left, right] = [membersOf(before), membersOf(after)];
  for (const name of Object.keys(left)) compareMember(map, name, [left[name], ownValue(right, name)], draft);
  for (const name of Object.keys(right)) {
    if (!Object.hasOwn(left, name)) compareMember(map, name, [undefined, right[name]], draft);
  }
}

function compareMember(
  map: MapType,
  name: string,
  [before, after]: readonly [Side, Side],
  draft: ComparisonDraft,
): void {
  if (before === after) return;
  const type = memberType(map, name);
  if (type !== undefined) compare(type, before, after, draft.at(fieldElement(name)));
}

function compareItems(list: ListType, before: Side, after: Side, draft: ComparisonDraft): void {
  const left = itemsByName(namedItems(list, itemsOf(before)));
  const right = itemsByName(namedItems(list, itemsOf(after)));
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    compareSameName(list, left.get(name) ?? [], right.get(name) ?? [], draft);
  }
}

/** Several items with the same name count as one field without children. */
function compareSameName(
  list: ListType,
  before: readonly NamedItem[],
  after: readonly NamedItem[],
  draft: ComparisonDraft,
): void {
  const [left, right] = [before[0], after[0]];
  const at = draft.at(((left ?? right) as NamedItem).element);
  if (before.length > 1 && after.length > 1) {
    if (!jsonEquals(before.map(itemValue), after.map(itemValue))) at.note("modified");
  } else if (before.length > 1) {
    if (right !== undefined) compare(list.items, undefined, right.value, at);
    at.note("removed");
  } else if (after.length > 1) {
    if (left !== undefined) compare(list.items, left.value, undefined, at);
    at.note("added");
  } else {
    compare(list.items, left?.value, right?.value, at);
  }
}

function itemValue({ value }: NamedItem): JsonValue {
  return value;
}
