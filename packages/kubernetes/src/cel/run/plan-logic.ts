import type { Planner } from "../libraries/library.ts";
import type { Logical } from "../syntax/ast.ts";
import { type Failure, failed, noSuchOverload } from "../values/failure.ts";
import type { Outcome } from "../values/value.ts";
import type { Planning } from "./planning.ts";
import type { Planned, Step } from "./step.ts";

/**
 * A chain of `&&` or `||`. One deciding term decides, even if earlier terms failed; otherwise the first failure from
 * the left is the result, so that failures are deterministic.
 */
export function planLogical(planning: Planning, { operator, terms, offset }: Logical): Planned {
  const steps = terms.map((term) => planning.step(term));
  const deciding = operator === "||";
  const [first, second] = steps;
  if (steps.length === 2 && first !== undefined && second !== undefined) {
    return { step: pairStep(first, second, deciding, offset) };
  }
  return { step: chainStep(steps, deciding, offset) };
}

function chainStep(steps: readonly Step[], deciding: boolean, offset: number): Step {
  return (frame) => {
    let failure: Failure | undefined;
    for (const step of steps) {
      const verdict = step(frame);
      if (verdict === deciding) return deciding;
      if (verdict !== !deciding) failure ??= failureOf(verdict, offset);
    }
    return failure ?? !deciding;
  };
}

/** The same for two terms, as in most conditions. */
function pairStep(first: Step, second: Step, deciding: boolean, offset: number): Step {
  return (frame) => {
    const left = first(frame);
    if (left === deciding) return deciding;
    const right = second(frame);
    if (right === deciding) return deciding;
    if (left !== !deciding) return failureOf(left, offset);
    return right === !deciding ? right : failureOf(right, offset);
  };
}

export function failureOf(verdict: Outcome, offset: number): Failure {
  return failed(verdict) ? verdict : noSuchOverload().at(offset);
}

export const planConditional: Planner = (planning, { args, offset }) => {
  const [condition, whenTrue, whenFalse] = args.map((argument) => planning.step(argument)) as [Step, Step, Step];
  const step: Step = (frame) => {
    const verdict = condition(frame);
    if (verdict === true) return whenTrue(frame);
    return verdict === false ? whenFalse(frame) : failureOf(verdict, offset);
  };
  return { step };
};
