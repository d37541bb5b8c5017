import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { changeShape, type ExcludedFields, nothingExcluded } from "../fields/change-shape.ts";
import { type Comparison, compareObjects, withoutFields } from "../fields/compare-objects.ts";
import { difference, equalSets, type FieldSet, intersection, union } from "../fields/field-set.ts";
import type { MergeType } from "../fields/merge-type.ts";
import { fieldElement } from "../fields/path-element.ts";
import { ShapeTree } from "../fields/shape-tree.ts";
import { withoutIdentity } from "./field-scope.ts";
import {
  firstReference,
  type ObjectChange,
  referencesExcluded,
  referencesOf,
  withoutReferences,
} from "./owner-references.ts";
import { PairMemo } from "./pair-memo.ts";

/** Cached comparisons, by type and shape of the change. */
const shapes = new ShapeTree<Comparison>(20_000);

/** Comparisons that were used more than once. */
const repeated = new WeakSet<Comparison>();

let kinds = 0;
const kindOf = new PairMemo<MergeType, FieldSet, string>(() => {
  kinds += 1;
  return String(kinds);
});

/**
 * Objects of a kind change in similar ways, so most comparisons are cached. Owner references are identified by UIDs,
 * which never repeat: they are compared separately.
 */
export function cachedComparison(type: MergeType, resetFields: FieldSet, change: ObjectChange): Comparison {
  const from = shapes.root.step(kindOf.of(type, resetFields));
  const shape = changeShape(from, type, change, excludedOf(resetFields));
  if (shape === undefined) return compared(type, resetFields, change);
  if (shape.result === undefined) shape.result = compared(type, resetFields, withoutReferences(change));
  else repeated.add(shape.result);
  return withReferences(shape.result, change, resetFields, type);
}

/** Adds owner references to a cached comparison without copying its sets. */
class JoinedComparison implements Comparison {
  readonly gained: FieldSet;
  readonly #one: Comparison;
  readonly #other: Comparison;

  constructor(one: Comparison, other: Comparison) {
    this.#one = one;
    this.#other = other;
    this.gained = union(fieldsGained(one), withoutIdentity(setBy(other)));
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

const excludedOf = memoized(
  (resetFields: FieldSet): ExcludedFields => ({
    has: (name) => isReset(name, resetFields),
    below: (name) => (name === "metadata" ? referencesExcluded : nothingExcluded),
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

/** Drops reset fields and identical fields, which need no comparison. */
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

/** Whether a change has the shape of an earlier one. */
export function isRepeated(comparison: Comparison): boolean {
  return repeated.has(comparison);
}

/** The fields that a change sets. */
function setBy({ modified, added }: Comparison): FieldSet {
  return union(modified, added);
}

/** Memoizes functions of comparisons and field sets, for comparisons that repeat. */
function memoizedFor(make: (comparison: Comparison, fields: FieldSet) => FieldSet) {
  const memo = new PairMemo(make);
  return (fields: FieldSet, comparison: Comparison): FieldSet =>
    isRepeated(comparison) ? memo.of(comparison, fields) : make(comparison, fields);
}

/** The fields that an owner loses to the manager of a change. */
export const fieldsLost = memoizedFor((comparison, fields) => intersection(fields, setBy(comparison)));

const fieldsKeptMemo = memoizedFor((comparison, fields) =>
  difference(difference(fields, fieldsLost(fields, comparison)), comparison.removed),
);

/** The fields that an owner keeps, without removed ones. */
export function fieldsKept(fields: FieldSet, comparison: Comparison): FieldSet {
  return isUnrelated(fields, comparison) ? fields : fieldsKeptMemo(fields, comparison);
}

/** Whether a change concerns none of the fields. */
function isUnrelated(fields: FieldSet, { added, modified, removed }: Comparison): boolean {
  for (const text of fields.keys()) if (added.has(text) || modified.has(text) || removed.has(text)) return false;
  return true;
}

const gained = new WeakMap<Comparison, FieldSet>();

/** The fields that the manager of a change gains. */
export function fieldsGained(comparison: Comparison): FieldSet {
  if (comparison instanceof JoinedComparison) return comparison.gained;
  const cached = gained.get(comparison);
  if (cached !== undefined) return cached;
  const fields = withoutIdentity(setBy(comparison));
  gained.set(comparison, fields);
  return fields;
}

/** The fields that the manager owns afterwards, given those before: the same set if nothing changes. */
export const fieldsAfter = memoizedFor((comparison, fields) => {
  const owned = union(fieldsGained(comparison), fieldsKept(fields, comparison));
  return equalSets(owned, fields) ? fields : owned;
});
