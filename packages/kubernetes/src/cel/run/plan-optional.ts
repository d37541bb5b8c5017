import type { Planner } from "../libraries/library.ts";
import { failed, noSuchOverload } from "../values/failure.ts";
import { Optional, type Value } from "../values/value.ts";
import type { Step } from "./step.ts";

/** `optional.or(other)`: an optional again. */
export const planOr = planAlternative((optional) => optional);

/** `optional.orValue(value)`: the inner value. */
export const planOrValue = planAlternative((_, value) => value);

/** The argument is evaluated only if needed. */
function planAlternative(take: (optional: Optional, value: Value) => Value): Planner {
  return (planning, { target, args, offset }) => {
    const [first, second] = [target, ...args].map((part) => (part === undefined ? undefined : planning.step(part)));
    const step: Step = (frame) => {
      const optional = first?.(frame);
      if (failed(optional)) return optional;
      if (!(optional instanceof Optional) || second === undefined) return noSuchOverload().at(offset);
      frame.spend(1, offset);
      return optional.value === undefined ? second(frame) : take(optional, optional.value);
    };
    return { step };
  };
}
