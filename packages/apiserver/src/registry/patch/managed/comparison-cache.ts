import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { changeShape, type LeftOut, nothingLeftOut } from "../fields/change-shape.ts";
import { type Comparison, compareObjects, withoutFields } from "../fields/compare-objects.ts";
import { difference, equalSets, type FieldSet, intersection, union } from "../fields/field-set.ts";
import type { MergeType } from "../fields/merge-type.ts";
import { fieldElement } from "../fields/path-element.ts";
import { ShapeTree } from "../fields/shape-tree.ts";
import { withoutIdentity } from "./field-scope.ts";
import {
  firstReference,
  leavingOutReferences,
  type ObjectChange,
  referencesOf,
  withoutReferences,
} from "./owner-references.ts";
import { PairMemo } from "./pair-memo.ts";

/** Comparisons that were made, of all kinds, by kind and by what the change looked like. */
const shapes = new ShapeTree<Comparison>(20_000);

/** Those of them that were asked for more than once. */
const repeated = new WeakSet<Comparison>();

let kinds = 0;
const kindOf = new PairMemo<MergeType, FieldSet, string>(() => {
  kinds += 1;
  return String(kinds);
});

/**
 * Objects of a kind change alike: most comparisons have been made before, of other objects. References to owners are
 * known by UIDs, which never come back: they are compared on their own.
 */
export function cachedComparison(type: MergeType, resetFields: FieldSet, change: ObjectChange): Comparison {
  const from = shapes.root.step(kindOf.of(type, resetFields));
  const shape = changeShape(from, type, change, leftOutOf(resetFields));
  if (shape === undefined) return compared(type, resetFields, change);
  if (shape.found === undefined) shape.found = compared(type, resetFields, withoutReferences(change));
  else repeated.add(shape.found);
  return withReferences(shape.found, change, resetFields, type);
}

/** What whoever sets references besides gains is known without looking at all that is added. */
class JoinedComparison implements Comparison {
  readonly gained: FieldSet;
  readonly #one: Comparison;
  readonly #other: Comparison;

  constructor(one: Comparison, other: Comparison) {
    this.#one = one;
    this.#other = other;
    this.gained = union(gainedBy(one), withoutIdentity(setBy(other)));
  }

  get added(): FieldSet {
    return union(this.#one.added, this.#other.added);
  }

  get modified(): FieldSet {
    return union(this.#one.modified, this.#other.modified);
  }

  get removed(): FieldSet {
    return union(this.#one.removed, this.#other.removed);
  }
}

function withReferences(cached: Comparison, change: ObjectChange, resetFields: FieldSet, type: MergeType): Comparison {
  const references = referencesOf(change);
  if (references === undefined) return cached;
  const isMetadataWhole = !resetFields.has(fieldElement("metadata").text);
  const first = isMetadataWhole ? firstReference(references) : undefined;
  return new JoinedComparison(cached, first ?? compared(type, resetFields, references));
}

const leftOutOf = memoized(
  (resetFields: FieldSet): LeftOut => ({
    has: (name) => isReset(name, resetFields),
    below: (name) => (name === "metadata" ? leavingOutReferences : nothingLeftOut),
  }),
);

function memoized<Of extends object, Made>(make: (of: Of) => Made): (of: Of) => Made {
  const made = new WeakMap<Of, { readonly value: Made }>();
  return (of) => {
    const cached = made.get(of) ?? { value: make(of) };
    made.set(of, cached);
    return cached.value;
  };
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

/** Whether a change looks like one before it. */
export function isRepeated(comparison: Comparison): boolean {
  return repeated.has(comparison);
}

/** What a change sets, anew or otherwise. */
function setBy({ modified, added }: Comparison): FieldSet {
  return union(modified, added);
}

/** What is memoized of comparisons with fields: of those that come back. */
function memoizedFor(make: (comparison: Comparison, fields: FieldSet) => FieldSet) {
  const memo = new PairMemo(make);
  return (fields: FieldSet, comparison: Comparison): FieldSet =>
    isRepeated(comparison) ? memo.of(comparison, fields) : make(comparison, fields);
}

/** What somebody who owns these fields loses to whoever makes the change. */
export const takenFrom = memoizedFor((comparison, fields) => intersection(fields, setBy(comparison)));

const leftToThose = memoizedFor((comparison, fields) =>
  difference(difference(fields, takenFrom(fields, comparison)), comparison.removed),
);

/** What is left to them, without what is gone. */
export function leftTo(fields: FieldSet, comparison: Comparison): FieldSet {
  return isApart(fields, comparison) ? fields : leftToThose(fields, comparison);
}

/** Whether a change is about other parts of the object altogether. */
function isApart(fields: FieldSet, { added, modified, removed }: Comparison): boolean {
  for (const text of fields.keys()) if (added.has(text) || modified.has(text) || removed.has(text)) return false;
  return true;
}

const gained = new WeakMap<Comparison, FieldSet>();

/** What whoever makes the change owns by it. */
export function gainedBy(comparison: Comparison): FieldSet {
  if (comparison instanceof JoinedComparison) return comparison.gained;
  const cached = gained.get(comparison);
  if (cached !== undefined) return cached;
  const fields = withoutIdentity(setBy(comparison));
  gained.set(comparison, fields);
  return fields;
}

/** What they own afterwards, who owned these fields before: the very same ones when it comes to that. */
export const ownedAfter = memoizedFor((comparison, fields) => {
  const owned = union(gainedBy(comparison), leftTo(fields, comparison));
  return equalSets(owned, fields) ? fields : owned;
});
