import { tenth } from "../libraries/costs.ts";
import type { Planner } from "../libraries/library.ts";
import type { Call } from "../syntax/ast.ts";
import { equal } from "../values/equality.ts";
import { failed, noSuchOverload } from "../values/failure.ts";
import { elementAt, elementsOf, listSize } from "../values/lists.ts";
import { mapGet } from "../values/maps.ts";
import { isList, isMapping, type Outcome, type Value } from "../values/value.ts";
import type { Frame } from "./frame.ts";
import type { Planning } from "./planning.ts";
import type { Planned, Step } from "./step.ts";

export const planEqual: Planner = (planning, call) => planComparison(planning, call, true);
export const planUnequal: Planner = (planning, call) => planComparison(planning, call, false);

function planComparison(planning: Planning, { args, offset }: Call, wanted: boolean): Planned {
  const [left, right] = args.map((argument) => planning.plan(argument)) as [Planned, Planned];
  if (typeof right.constant === "string") return { step: textEquality(left.step, right.constant, wanted, offset) };
  if (typeof left.constant === "string") return { step: textEquality(right.step, left.constant, wanted, offset) };
  return { step: equality(left.step, right.step, wanted, offset) };
}

function equality(left: Step, right: Step, wanted: boolean, offset: number): Step {
  return (frame) => {
    const one = left(frame);
    if (failed(one)) return one;
    const two = right(frame);
    if (failed(two)) return two;
    frame.spend(1, offset);
    frame.position = offset;
    return equal(one, two, frame) === wanted;
  };
}

/** Comparison with a constant string, as for labels, tiers and kinds. */
function textEquality(operand: Step, text: string, wanted: boolean, offset: number): Step {
  return (frame) => {
    const value = operand(frame);
    if (failed(value)) return value;
    frame.spend(typeof value === "string" ? tenth(Math.min(value.length, text.length)) : 1, offset);
    return (value === text) === wanted;
  };
}

export const planMembership: Planner = (planning, { args, offset }) => {
  const [element, container] = args.map((argument) => planning.plan(argument)) as [Planned, Planned];
  const texts = constantTexts(container.constant);
  if (texts !== undefined) return { step: textMembership(element.step, texts, offset) };
  const step: Step = (frame) => {
    const wanted = element.step(frame);
    if (failed(wanted)) return wanted;
    const within = container.step(frame);
    return failed(within) ? within : contains(within, wanted, frame, offset);
  };
  return { step };
};

/** A constant list of strings: tiers, regions, environments. */
function constantTexts(container: Value | undefined): ReadonlySet<Value> | undefined {
  if (container === undefined || !isList(container)) return undefined;
  const elements = elementsOf(container);
  return elements.every((element) => typeof element === "string") ? new Set(elements) : undefined;
}

function textMembership(element: Step, texts: ReadonlySet<Value>, offset: number): Step {
  return (frame) => {
    const wanted = element(frame);
    if (failed(wanted)) return wanted;
    frame.spend(1, offset);
    return texts.has(wanted);
  };
}

function contains(container: Value, wanted: Value, frame: Frame, offset: number): Outcome {
  frame.position = offset;
  if (isList(container)) {
    frame.spend(listSize(container), offset);
    for (let index = 0; index < listSize(container); index += 1) {
      if (equal(elementAt(container, index), wanted, frame)) return true;
    }
    return false;
  }
  frame.spend(1, offset);
  return isMapping(container) ? mapGet(container, wanted) !== undefined : noSuchOverload().at(offset);
}
