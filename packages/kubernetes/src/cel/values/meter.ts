import { Failure } from "./failure.ts";

/** The cost meter. Work proportional to its input is charged before it is done, so that it can be stopped in time. */
export interface Meter {
  /** Throws an `Abort` once the limit is exceeded. */
  spend(cost: number): void;
}

/**
 * Ends an evaluation at once. Thrown rather than returned, because no `||` may turn an exhausted budget into a value.
 */
export class Abort {
  readonly failure: Failure;
  constructor(failure: Failure) {
    this.failure = failure;
  }
}

/** Deeper than any Kubernetes object, and well within the stack limit of recursive functions. */
export const depthMax = 500;

export function checkDepth(depth: number): void {
  if (depth > depthMax) {
    throw new Abort(new Failure("invalid-argument", `value is nested more than ${depthMax} levels deep`));
  }
}
