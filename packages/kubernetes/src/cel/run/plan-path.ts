import type { Expression } from "../syntax/ast.ts";
import { Failure, failed, missingKey } from "../values/failure.ts";
import { fromJson } from "../values/from-json.ts";
import { isJsonObject, type JsonObject, type Outcome } from "../values/value.ts";
import { selectField } from "./access.ts";
import { type Adapter, adapterFor } from "./adapt.ts";
import type { Frame } from "./frame.ts";
import type { Planning } from "./planning.ts";
import type { Step } from "./step.ts";

/** A variable followed by constant keys: `trigger.metadata.labels["env"]`. */
export interface Path {
  readonly root: Root;
  readonly keys: readonly Key[];
}

/** Reads a variable, as it was bound. */
type Root = (frame: Frame) => unknown;

interface Key {
  readonly name: string;
  /** Created once: it only depends on the position. */
  readonly missing: Failure;
}

/** The path of an expression; undefined if it is not a path. */
export function pathOf(planning: Planning, expression: Expression): Path | undefined {
  const root = rootOf(planning, expression);
  if (root !== undefined) return { root, keys: [] };
  const [operand, name] = lastKey(planning, expression);
  if (operand === undefined || name === undefined || arrayKey.test(name)) return undefined;
  const inner = pathOf(planning, operand);
  return (
    inner && { root: inner.root, keys: [...inner.keys, { name, missing: missingKey(name).at(expression.offset) }] }
  );
}

/** Own properties of arrays. Paths do not check for arrays, so these keys are excluded. */
const arrayKey = /^(?:\d+|length)$/;

function rootOf(planning: Planning, expression: Expression): Root | undefined {
  const reference = planning.checked.nameOf(expression);
  if (reference?.kind === "local") return localRoot(planning.slotOf(reference.name));
  return reference?.kind === "variable" ? variableRoot(reference.name, expression.offset) : undefined;
}

function localRoot(slot: number): Root {
  return (frame) => frame.locals[slot];
}

function variableRoot(name: string, offset: number): Root {
  const unbound = new Failure("unbound-variable", `no such attribute(s): ${name}`).at(offset);
  return ({ bindings }) => (Object.hasOwn(bindings, name) ? bindings[name] : unbound);
}

function lastKey(planning: Planning, expression: Expression): readonly [operand?: Expression, name?: string] {
  if (expression.kind === "select") {
    return expression.optional ? [] : [expression.operand, planning.propertyOf(expression)];
  }
  if (expression.kind !== "call" || expression.name !== "_[_]") return [];
  const [operand, index] = expression.args;
  const constant = index?.kind === "literal" && typeof index.value === "string" ? index.value : undefined;
  return operand === undefined || constant === undefined ? [] : [operand, constant];
}

/**
 * Hot: expressions on Kubernetes objects mostly follow such paths, so a path of any length is one step, which walks
 * plain objects and converts only the last value.
 */
export function pathStep(planning: Planning, expression: Expression, { root, keys }: Path): Step {
  const adapt = adapterFor(planning.checked.typeOf(expression));
  const { offset } = expression;
  const cost = 1 + keys.length;
  return (frame) => {
    frame.spend(cost, offset);
    let json = root(frame);
    for (let index = 0; index < keys.length; index += 1) {
      const { name } = keys[index] as Key;
      if (typeof json !== "object" || json === null || !Object.hasOwn(json, name)) return leavePath(json, keys, index);
      json = (json as JsonObject)[name];
    }
    return adapt === undefined ? fromJson(json) : adaptedTo(adapt, json, frame, offset);
  };
}

function adaptedTo(adapt: Adapter, json: unknown, frame: Frame, offset: number): Outcome {
  frame.position = offset;
  const value = adapt(json, frame);
  return failed(value) ? value.at(offset) : value;
}

/** A plain object without the key misses it; anything else follows the general rules. */
function leavePath(json: unknown, keys: readonly Key[], index: number): Outcome {
  if (failed(json)) return json;
  if (isJsonObject(json)) return (keys[index] as Key).missing;
  let value = fromJson(json);
  for (const { name, missing } of keys.slice(index)) {
    const next = selectField(value, name);
    if (failed(next)) return next.at(missing.offset);
    value = next;
  }
  return value;
}
