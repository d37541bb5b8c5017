import type { Call } from "../syntax/ast.ts";
import { failed, noSuchOverload } from "../values/failure.ts";
import { Optional } from "../values/value.ts";
import type { Planning } from "./planning.ts";
import type { Planned, Step } from "./step.ts";

/** `optional.or(other)` and `optional.orValue(value)`: the argument is only computed if it is needed. */
export function planOr(planning: Planning, { name, target, args, offset }: Call): Planned {
  const [first, second] = [target, ...args].map((part) => (part === undefined ? undefined : planning.step(part)));
  const step: Step = (frame) => {
    const optional = first?.(frame);
    if (failed(optional)) return optional;
    if (!(optional instanceof Optional) || second === undefined) return noSuchOverload().at(offset);
    frame.spend(1, offset);
    if (optional.value === undefined) return second(frame);
    return name === "or" ? optional : optional.value;
  };
  return { step };
}
