import { Failure, type FailureKind } from "../values/failure.ts";
import type { Outcome, Value } from "../values/value.ts";
import type { Frame } from "./frame.ts";

/** A compiled expression: a closure over its compiled parts. */
export type Step = (frame: Frame) => Outcome;

export interface Planned {
  readonly step: Step;
  /** Set if the value is constant, and was computed in advance. */
  readonly constant?: Value;
}

/** For an expression that failed the check, but is run anyway. */
export function failingPlan(kind: FailureKind, message: string, offset: number): Planned {
  const failure = new Failure(kind, message).at(offset);
  return { step: () => failure };
}

export function constantPlan(constant: Value): Planned {
  return { step: () => constant, constant };
}
