import type { ResolvedCall } from "../check/checking.ts";
import type { CalledOverload, FunctionDeclaration, Implementation, Overload } from "../libraries/library.ts";
import type { Call, Expression } from "../syntax/ast.ts";
import { failed, noSuchOverload } from "../values/failure.ts";
import type { Outcome, Value } from "../values/value.ts";
import { type Guard, guardFor } from "./accepts.ts";
import type { Frame } from "./frame.ts";
import type { Planning } from "./planning.ts";
import { constantPlan, failingPlan, type Planned, type Step } from "./step.ts";

export function planCall(planning: Planning, call: Call, resolved: ResolvedCall | undefined): Planned {
  if (resolved === undefined) {
    return failingPlan("no-such-overload", `undeclared reference to '${call.name}'`, call.offset);
  }
  const [first] = resolved.overloads;
  if (first !== undefined && "plan" in first) return first.plan(planning, call);
  return planFunction(planning, call, { ...resolved, overloads: resolved.overloads.filter(isCalled) });
}

function isCalled(overload: Overload): overload is CalledOverload {
  return "call" in overload;
}

interface Resolved {
  readonly declared: FunctionDeclaration;
  readonly args: readonly Expression[];
  readonly overloads: readonly CalledOverload[];
}

function planFunction(planning: Planning, { offset }: Call, { declared, args, overloads }: Resolved): Planned {
  const plans = args.map((argument) => planning.plan(argument));
  const steps = plans.map((argument) => argument.step);
  const prepared = prepare(declared, plans);
  if (prepared !== undefined && "constant" in prepared) return constantPlan(prepared.constant);
  return { step: callStep(candidatesOf(overloads, prepared), steps, offset) };
}

/** Precomputes for a constant argument. A failure was rejected, or is left to the evaluation. */
function prepare({ prepare: how }: FunctionDeclaration, args: readonly Planned[]) {
  const constant = how === undefined ? undefined : args[how.argument]?.constant;
  const prepared = constant === undefined ? undefined : how?.with(constant);
  return failed(prepared) ? undefined : prepared;
}

interface Candidate extends Implementation {
  /** One per argument; none if the implementation checks its arguments itself. */
  readonly guards: readonly Guard[];
}

function candidatesOf(
  overloads: readonly CalledOverload[],
  prepared: Implementation | undefined,
): readonly Candidate[] {
  const [first] = overloads;
  if (first !== undefined && overloads.every(({ call, guarded }) => call === first.call && !guarded)) {
    return [{ ...first, guards: [] }];
  }
  return overloads.map(({ call, cost, parameters }) => ({ call, cost, ...prepared, guards: parameters.map(guardFor) }));
}

function accepts({ guards }: Candidate, args: readonly Value[]): boolean {
  return guards.every((guard, index) => guard(args[index] as Value));
}

/** Most calls have one or two arguments, and a single overload. */
function callStep(candidates: readonly Candidate[], steps: readonly Step[], offset: number): Step {
  const [only] = candidates;
  const [first, second] = steps;
  if (candidates.length !== 1 || only === undefined || first === undefined || steps.length > 2) {
    return dispatchStep(candidates, steps, offset);
  }
  return second === undefined ? unaryStep(only, first, offset) : binaryStep(only, first, second, offset);
}

function unaryStep({ call, cost, guards: [guard] }: Candidate, operand: Step, offset: number): Step {
  return (frame) => {
    const value = operand(frame);
    if (failed(value)) return value;
    if (guard !== undefined && !guard(value)) return noSuchOverload().at(offset);
    frame.spend(cost(value), offset);
    frame.position = offset;
    const result = call(value, frame);
    return failed(result) ? result.at(offset) : result;
  };
}

function binaryStep({ call, cost, guards }: Candidate, left: Step, right: Step, offset: number): Step {
  const [leftGuard, rightGuard] = guards;
  return (frame) => {
    const one = left(frame);
    if (failed(one)) return one;
    const two = right(frame);
    if (failed(two)) return two;
    if (leftGuard !== undefined && !leftGuard(one)) return noSuchOverload().at(offset);
    if (rightGuard !== undefined && !rightGuard(two)) return noSuchOverload().at(offset);
    frame.spend(cost(one, two), offset);
    frame.position = offset;
    const result = call(one, two, frame);
    return failed(result) ? result.at(offset) : result;
  };
}

/** Any number of arguments and overloads, chosen at run time. */
function dispatchStep(candidates: readonly Candidate[], steps: readonly Step[], offset: number): Step {
  return (frame) => {
    const args: Value[] = [];
    for (const step of steps) {
      const argument = step(frame);
      if (failed(argument)) return argument;
      args.push(argument);
    }
    const chosen = candidates.find((candidate) => accepts(candidate, args));
    if (chosen === undefined) return noSuchOverload().at(offset);
    return invoke(chosen, args, frame, offset);
  };
}

function invoke({ call, cost }: Candidate, args: readonly Value[], frame: Frame, offset: number): Outcome {
  frame.spend(cost(...args), offset);
  frame.position = offset;
  const result = call(...args, frame);
  return failed(result) ? result.at(offset) : result;
}
