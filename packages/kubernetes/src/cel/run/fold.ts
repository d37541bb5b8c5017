import type { ComprehensionForm } from "../syntax/ast.ts";
import { type Failure, failed, noSuchOverload } from "../values/failure.ts";
import { MapBuilder, mapEntries } from "../values/maps.ts";
import { isMapping, ListValue, type Outcome, type Value } from "../values/value.ts";
import type { Frame } from "./frame.ts";
import { failureOf } from "./plan-logic.ts";
import type { Step } from "./step.ts";
import type { Walk } from "./walk.ts";

/** The body of a comprehension. */
export interface Loop {
  readonly body: Step;
  readonly filter: Step | undefined;
  /** The slot of the first variable. */
  readonly slot: number;
  readonly offset: number;
}

/** Runs a loop. The costs are those of the macro expansions of other implementations. */
export type Fold = (loop: Loop, walk: Walk, frame: Frame) => Outcome;

/** `all` and `exists`: one deciding element decides, regardless of earlier errors. */
function quantifier(deciding: boolean, stepCost: number): Fold {
  return ({ body, slot, offset }, walk, frame) => {
    let failure: Failure | undefined;
    for (let index = 0; index < walk.size; index += 1) {
      frame.spend(stepCost, offset);
      walk.enter(frame.locals, slot, index);
      const verdict = body(frame);
      if (verdict === deciding) return deciding;
      if (verdict !== !deciding) failure ??= failureOf(verdict, offset);
    }
    frame.spend(1, offset);
    return failure ?? !deciding;
  };
}

/** Skipped elements are free in Kubernetes; but long lists of them take time. */
function passed(index: number): number {
  return index < 10 ? 0 : 1;
}

/** Visits every element, so that no error is missed. */
const existsOne: Fold = ({ body, slot, offset }, walk, frame) => {
  let count = 0;
  for (let index = 0; index < walk.size; index += 1) {
    walk.enter(frame.locals, slot, index);
    const verdict = body(frame);
    if (typeof verdict !== "boolean") return failureOf(verdict, offset);
    frame.spend(verdict ? 2 : passed(index), offset);
    if (verdict) count += 1;
  }
  frame.spend(2, offset);
  return count === 1;
};

const filter: Fold = ({ body, slot, offset }, walk, frame) => {
  const items: Value[] = [];
  for (let index = 0; index < walk.size; index += 1) {
    walk.enter(frame.locals, slot, index);
    const verdict = body(frame);
    if (typeof verdict !== "boolean") return failureOf(verdict, offset);
    frame.spend(verdict ? 13 : passed(index), offset);
    if (verdict) items.push(frame.locals[slot] as Value);
  }
  frame.spend(1, offset);
  return new ListValue(items);
};

/** The transformed element, or undefined if it is filtered out. */
function transformed({ body, filter: passes, offset }: Loop, frame: Frame): Outcome | undefined {
  if (passes === undefined) return body(frame);
  const verdict = passes(frame);
  if (typeof verdict !== "boolean") return failureOf(verdict, offset);
  return verdict ? body(frame) : undefined;
}

const list: Fold = (loop, walk, frame) => {
  const items: Value[] = [];
  for (let index = 0; index < walk.size; index += 1) {
    walk.enter(frame.locals, loop.slot, index);
    const made = transformed(loop, frame);
    if (failed(made)) return made;
    frame.spend(made === undefined ? passed(index) : 12, loop.offset);
    if (made !== undefined) items.push(made);
  }
  frame.spend(1, loop.offset);
  return new ListValue(items);
};

const map: Fold = (loop, walk, frame) => {
  const builder = new MapBuilder();
  for (let index = 0; index < walk.size; index += 1) {
    walk.enter(frame.locals, loop.slot, index);
    const made = transformed(loop, frame);
    if (failed(made)) return made;
    frame.spend(made === undefined ? passed(index) : 3, loop.offset);
    const refused = made === undefined ? undefined : builder.insert(frame.locals[loop.slot] as Value, made);
    if (refused !== undefined) return refused.at(loop.offset);
  }
  frame.spend(1, loop.offset);
  return builder.finish();
};

const mapOfEntries: Fold = (loop, walk, frame) => {
  const builder = new MapBuilder();
  for (let index = 0; index < walk.size; index += 1) {
    walk.enter(frame.locals, loop.slot, index);
    const made = transformed(loop, frame);
    if (failed(made)) return made;
    if (made === undefined) frame.spend(passed(index), loop.offset);
    const refused = made === undefined ? undefined : insertAll(builder, made, frame);
    if (refused !== undefined) return refused.at(loop.offset);
  }
  frame.spend(1, loop.offset);
  return builder.finish();
};

function insertAll(builder: MapBuilder, made: Value, frame: Frame): Failure | undefined {
  if (!isMapping(made)) return noSuchOverload();
  const entries = mapEntries(made);
  frame.spend(1 + entries.length);
  for (const { key, value } of entries) {
    const refused = builder.insert(key, value);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

export const folds: Readonly<Record<ComprehensionForm, Fold>> = {
  all: quantifier(false, 3),
  exists: quantifier(true, 4),
  "exists-one": existsOne,
  filter,
  list,
  map,
  "map-entries": mapOfEntries,
};
