import type { Binding, Comprehension, OptionalMap } from "../syntax/ast.ts";
import { failed, noSuchOverload } from "../values/failure.ts";
import { Optional } from "../values/value.ts";
import { folds, type Loop } from "./fold.ts";
import type { Planning } from "./planning.ts";
import type { Planned, Step } from "./step.ts";
import { walkOver } from "./walk.ts";

export function planComprehension(planning: Planning, comprehension: Comprehension): Planned {
  const { variables, filter, body, offset } = comprehension;
  const range = planning.step(comprehension.range);
  const loop = planning.withLocals(variables, (slot): Loop => {
    return { slot, body: planning.step(body), filter: filter && planning.step(filter), offset };
  });
  const fold = folds[comprehension.form];
  const step: Step = (frame) => {
    const value = range(frame);
    if (failed(value)) return value;
    frame.position = offset;
    const walk = walkOver(value, variables.length, frame);
    return walk === undefined ? noSuchOverload().at(offset) : fold(loop, walk, frame);
  };
  return { step };
}

/** A failed value matters only where it is used, so the failure is bound like a value. */
export function planBinding(planning: Planning, { variable, value, body }: Binding): Planned {
  const bound = planning.step(value);
  const step = planning.withLocals([variable], (slot): Step => {
    const inner = planning.step(body);
    return (frame) => {
      frame.locals[slot] = bound(frame);
      return inner(frame);
    };
  });
  return { step };
}

export function planOptionalMap(planning: Planning, { operand, variable, body, flat, offset }: OptionalMap): Planned {
  const optional = planning.step(operand);
  const step = planning.withLocals([variable], (slot): Step => {
    const inner = planning.step(body);
    return (frame) => {
      const found = optional(frame);
      if (failed(found)) return found;
      if (!(found instanceof Optional)) return noSuchOverload().at(offset);
      frame.spend(2, offset);
      if (found.value === undefined) return Optional.none;
      frame.locals[slot] = found.value;
      const made = inner(frame);
      if (failed(made)) return made;
      if (!flat) return new Optional(made);
      return made instanceof Optional ? made : noSuchOverload().at(offset);
    };
  });
  return { step };
}
