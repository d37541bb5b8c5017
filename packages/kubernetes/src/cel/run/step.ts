import { Failure, type FailureKind } from "../values/failure.ts";
import type { Outcome, Value } from "../values/value.ts";
import type { Frame } from "./frame.ts";

/** A compiled expression: a closure over its compiled parts. */
export type Step = (frame: Frame) => Outcome;

export interface Planned {
  readonly step: Step;
  /** Set if the value is the same in every evaluation, and was computed in advance. */
  readonly constant?: Value;
}

/** For what did not check, but is run all the same. */
export function failingPlan(kind: FailureKind, message: string, offset: number): Planned {
  const failure = new Failure(kind, message).at(offset);
  return { step: () => failure };
}

export function constantPlan(constant: Value): Planned {
  return { step: () => constant, constant };
}
