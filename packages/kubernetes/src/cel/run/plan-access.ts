import type { Planner } from "../libraries/library.ts";
import type { Call, Identifier, Presence, Select } from "../syntax/ast.ts";
import { failed } from "../values/failure.ts";
import type { Outcome } from "../values/value.ts";
import { hasField, optionalAt, selectField, selectOptional, valueAt } from "./access.ts";
import { type Adapter, adapterFor } from "./adapt.ts";
import type { Frame } from "./frame.ts";
import { pathOf, pathStep } from "./plan-path.ts";
import type { Planning } from "./planning.ts";
import { constantPlan, failingPlan, type Planned, type Step } from "./step.ts";

export function planIdentifier(planning: Planning, identifier: Identifier): Planned {
  const { name, offset } = identifier;
  const reference = planning.checked.nameOf(identifier);
  if (reference?.kind === "constant") return constantPlan(reference.value);
  if (reference?.kind === "local") return { step: localStep(planning.slotOf(name), offset) };
  const path = pathOf(planning, identifier);
  if (path !== undefined) return { step: pathStep(planning, identifier, path) };
  return failingPlan("unbound-variable", `undeclared reference to '${name}'`, offset);
}

function localStep(slot: number, offset: number): Step {
  return (frame) => {
    frame.spend(1, offset);
    return frame.locals[slot] as Outcome;
  };
}

export function planSelect(planning: Planning, select: Select): Planned {
  const reference = planning.checked.nameOf(select);
  if (reference?.kind === "constant") return constantPlan(reference.value);
  const path = pathOf(planning, select);
  return { step: path === undefined ? fieldStep(planning, select) : pathStep(planning, select, path) };
}

function fieldStep(planning: Planning, select: Select): Step {
  const operand = planning.step(select.operand);
  const field = planning.propertyOf(select);
  const { offset } = select;
  const access = select.optional ? selectOptional : selectField;
  const adapt = adapterFor(planning.checked.typeOf(select));
  return (frame) => {
    const value = operand(frame);
    if (failed(value)) return value;
    frame.spend(1, offset);
    frame.position = offset;
    return adapted(access(value, field), adapt, frame);
  };
}

/** The value, adapted to its declared type. */
function adapted(found: Outcome, adapt: Adapter | undefined, frame: Frame): Outcome {
  const value = adapt === undefined || failed(found) ? found : adapt(found, frame);
  return failed(value) ? value.at(frame.position) : value;
}

export function planPresence(planning: Planning, presence: Presence): Planned {
  const inner = planning.step(presence.operand);
  const field = planning.propertyOf(presence);
  const { offset } = presence;
  const step: Step = (frame) => {
    const value = inner(frame);
    if (failed(value)) return value;
    const found = hasField(value, field);
    return failed(found) ? found.at(offset) : found;
  };
  return { step };
}

/** `value[key]`, which may end a path. */
export const planIndex: Planner = (planning, call) => {
  const path = pathOf(planning, call);
  return { step: path === undefined ? indexStep(planning, call, valueAt) : pathStep(planning, call, path) };
};

/** `value[?key]`. */
export const planOptionalIndex: Planner = (planning, call) => ({ step: indexStep(planning, call, optionalAt) });

function indexStep(planning: Planning, call: Call, access: typeof valueAt): Step {
  const [operand, index] = call.args.map((argument) => planning.step(argument)) as [Step, Step];
  const adapt = adapterFor(planning.checked.typeOf(call));
  const { offset } = call;
  return (frame) => {
    const value = operand(frame);
    if (failed(value)) return value;
    const key = index(frame);
    if (failed(key)) return key;
    frame.spend(1, offset);
    frame.position = offset;
    return adapted(access(value, key), adapt, frame);
  };
}
