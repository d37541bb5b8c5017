import { Failure } from "../values/failure.ts";
import { Abort, type Meter } from "../values/meter.ts";
import type { Outcome } from "../values/value.ts";

/** Values of an environment's variables: plain JSON, or values of the language. */
export type Bindings = Readonly<Record<string, unknown>>;

/** The state of one evaluation. */
export class Frame implements Meter {
  readonly bindings: Bindings;
  /** The values of macro variables, by slot. */
  readonly locals: Outcome[] = [];
  cost = 0;
  /** The offset of the current call, for cost errors. */
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
