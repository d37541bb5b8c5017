import type { JsonObject } from "../../../../protocol/json-value.ts";
import { changeShape } from "../fields/change-shape.ts";
import type { Comparison } from "../fields/compare-objects.ts";
import { difference, type FieldSet, intersection, union } from "../fields/field-set.ts";
import type { MergeType } from "../fields/merge-type.ts";
import { withoutIdentity } from "./field-scope.ts";

/** What is made of two things, remembered for as long as both are. */
class PairMemo<Left extends object, Right extends object, Made> {
  readonly #made = new WeakMap<Left, WeakMap<Right, Made>>();
  readonly #make: (left: Left, right: Right) => Made;

  constructor(make: (left: Left, right: Right) => Made) {
    this.#make = make;
  }

  of(left: Left, right: Right): Made {
    const row = this.#row(left);
    const known = row.get(right);
    if (known !== undefined) return known;
    const made = this.#make(left, right);
    row.set(right, made);
    return made;
  }

  #row(left: Left): WeakMap<Right, Made> {
    const found = this.#made.get(left);
    if (found !== undefined) return found;
    const row = new WeakMap<Right, Made>();
    this.#made.set(left, row);
    return row;
  }
}

/** Comparisons that were made, of all kinds, by kind and by what the change looked like. */
const known = new Map<string, Comparison>();
const knownMax = 2_048;

/** Those of them that were asked for more than once. */
const seenAgain = new WeakSet<Comparison>();

let kinds = 0;
const kindOf = new PairMemo<MergeType, FieldSet, string>(() => {
  kinds += 1;
  return String(kinds);
});

/** Objects of a kind change alike: most comparisons have been made before, of other objects. */
export function knownComparison(
  type: MergeType,
  resetFields: FieldSet,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  compare: () => Comparison,
): Comparison {
  const shape = changeShape(type, before, after);
  if (shape === undefined) return compare();
  const id = `${kindOf.of(type, resetFields)} ${shape}`;
  const found = known.get(id);
  if (found !== undefined) {
    seenAgain.add(found);
    return found;
  }
  const made = compare();
  if (known.size >= knownMax) known.clear();
  known.set(id, made);
  return made;
}

/** What a change sets, anew or otherwise. */
function setBy({ modified, added }: Comparison): FieldSet {
  return union(modified, added);
}

/** What is remembered of comparisons with fields: of those that come back. Some never do, as with the UID of an owner. */
function rememberedFor(make: (comparison: Comparison, fields: FieldSet) => FieldSet) {
  const memo = new PairMemo(make);
  return (fields: FieldSet, comparison: Comparison): FieldSet =>
    seenAgain.has(comparison) ? memo.of(comparison, fields) : make(comparison, fields);
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

/** What they own afterwards, who owned these fields before. */
export const ownedAfter = rememberedFor((comparison, fields) => union(gainedBy(comparison), fields));
