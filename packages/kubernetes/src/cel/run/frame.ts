import { Failure } from "../values/failure.ts";
import { Abort, type Meter } from "../values/meter.ts";
import type { Outcome } from "../values/value.ts";

/** Values for the variables of an environment: parsed JSON as it is, or values of the language. */
export type Bindings = Readonly<Record<string, unknown>>;

/** What one evaluation works with. */
export class Frame implements Meter {
  readonly bindings: Bindings;
  /** What the variables of macros stand for right now, by slot. */
  readonly locals: Outcome[] = [];
  cost = 0;
  /** Where the function that is being called stands, for what it spends. */
  position = 0;
  readonly #costLimit: number;

  constructor(bindings: Bindings, costLimit: number) {
    this.bindings = bindings;
    this.#costLimit = costLimit;
  }

  spend(cost: number, offset = this.position): void {
    this.cost += cost;
    if (this.cost > this.#costLimit) {
      throw new Abort(new Failure("cost-exceeded", "operation cancelled: actual cost limit exceeded").at(offset));
    }
  }
}
