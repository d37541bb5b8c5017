import type { JsonObject, JsonValue } from "../../../../protocol/json-value.ts";
import { changeShape } from "../fields/change-shape.ts";
import { type Comparison, compareObjects, withoutFields } from "../fields/compare-objects.ts";
import { difference, equalSets, type FieldSet, intersection, union } from "../fields/field-set.ts";
import type { MergeType } from "../fields/merge-type.ts";
import { fieldElement } from "../fields/path-element.ts";
import { ShapeTree } from "../fields/shape-tree.ts";
import { withoutIdentity } from "./field-scope.ts";
import { PairMemo } from "./pair-memo.ts";

export interface ObjectChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Comparisons that were made, of all kinds, by kind and by what the change looked like. */
const shapes = new ShapeTree<Comparison>(20_000);

/** Those of them that were asked for more than once. */
const seenAgain = new WeakSet<Comparison>();

let kinds = 0;
const kindOf = new PairMemo<MergeType, FieldSet, string>(() => {
  kinds += 1;
  return String(kinds);
});

/** Objects of a kind change alike: most comparisons have been made before, of other objects. */
export function knownComparison(type: MergeType, resetFields: FieldSet, change: ObjectChange): Comparison {
  const from = shapes.root.step(kindOf.of(type, resetFields));
  const shape = changeShape(from, type, change, (name) => isReset(name, resetFields));
  if (shape === undefined) return compared(type, resetFields, change);
  if (shape.found === undefined) shape.found = compared(type, resetFields, change);
  else seenAgain.add(shape.found);
  return shape.found;
}

function compared(type: MergeType, resetFields: FieldSet, change: ObjectChange): Comparison {
  const { before, after } = withoutReset(change, resetFields);
  return withoutFields(compareObjects(type, before, after), resetFields);
}

/** Whole fields that do not count need not be compared; nor are those that are the same values. */
function withoutReset({ before, after }: ObjectChange, resetFields: FieldSet): ObjectChange {
  const isLeftOut = (name: string): boolean => before[name] !== after[name] && isReset(name, resetFields);
  return { before: withoutNames(before, isLeftOut), after: withoutNames(after, isLeftOut) };
}

function isReset(name: string, resetFields: FieldSet): boolean {
  return resetFields.get(fieldElement(name).text)?.isMember === true;
}

function withoutNames(object: JsonObject, isLeftOut: (name: string) => boolean): JsonObject {
  const names = Object.keys(object);
  if (!names.some(isLeftOut)) return object;
  return Object.fromEntries(names.filter((name) => !isLeftOut(name)).map((name) => [name, object[name] as JsonValue]));
}

/** Whether a change looks like one before it; some never do, as with the UID of an owner. */
export function isSeenAgain(comparison: Comparison): boolean {
  return seenAgain.has(comparison);
}

/** What a change sets, anew or otherwise. */
function setBy({ modified, added }: Comparison): FieldSet {
  return union(modified, added);
}

/** What is remembered of comparisons with fields: of those that come back. */
function rememberedFor(make: (comparison: Comparison, fields: FieldSet) => FieldSet) {
  const memo = new PairMemo(make);
  return (fields: FieldSet, comparison: Comparison): FieldSet =>
    isSeenAgain(comparison) ? memo.of(comparison, fields) : make(comparison, fields);
}

/** What somebody who owns these fields loses to whoever makes the change. */
export const takenFrom = rememberedFor((comparison, fields) => intersection(fields, setBy(comparison)));

/** What is left to them, without what is gone. */
export const leftTo = rememberedFor((comparison, fields) =>
  difference(difference(fields, takenFrom(fields, comparison)), comparison.removed),
);

const gained = new WeakMap<Comparison, FieldSet>();

/** What whoever makes the change owns by it. */
export function gainedBy(comparison: Comparison): FieldSet {
  const known = gained.get(comparison);
  if (known !== undefined) return known;
  const fields = withoutIdentity(setBy(comparison));
  gained.set(comparison, fields);
  return fields;
}

/** What they own afterwards, who owned these fields before: the very same ones when it comes to that. */
export const ownedAfter = rememberedFor((comparison, fields) => {
  const owned = union(gainedBy(comparison), leftTo(fields, comparison));
  return equalSets(owned, fields) ? fields : owned;
});
