import { Failure } from "./failure.ts";

/** Whoever does work in proportion to its input says so here first, and is stopped before it becomes too much. */
export interface Meter {
  /** Throws an `Abort` once the limit is passed. */
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

/** Beyond any Kubernetes object, and well within the stack of the functions that walk values by recursion. */
export const depthMax = 500;

export function refuseDepth(depth: number): void {
  if (depth > depthMax) {
    throw new Abort(new Failure("invalid-argument", `value is nested more than ${depthMax} levels deep`));
  }
}
