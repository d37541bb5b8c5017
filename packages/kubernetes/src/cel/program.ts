import { dynType, formatType, type Type } from "./cel-type.ts";
import type { Checked } from "./check/check.ts";
import { positionAt } from "./issue.ts";
import { defaultCostLimit } from "./limits.ts";
import { type Guard, guardFor } from "./run/accepts.ts";
import { type Bindings, Frame } from "./run/frame.ts";
import { plan } from "./run/plan.ts";
import type { Step } from "./run/step.ts";
import { Failure, type FailureKind, failed } from "./values/failure.ts";
import { Abort } from "./values/meter.ts";
import { typeNameOf } from "./values/type-name.ts";
import type { Outcome, Value } from "./values/value.ts";

/** Why an evaluation failed, and where in the expression. */
export class EvaluationError {
  readonly kind: FailureKind;
  readonly message: string;
  /** UTF-16 units from the start of the expression. */
  readonly offset: number;
  readonly #source: string;

  constructor({ kind, message, offset }: Failure, source: string) {
    this.kind = kind;
    this.message = message;
    this.offset = offset;
    this.#source = source;
  }

  // Computed on demand: missing keys are frequent, and their line is rarely used.
  get line(): number {
    return positionAt(this.#source, this.offset).line;
  }

  get column(): number {
    return positionAt(this.#source, this.offset).column;
  }
}

export type Evaluation<V> =
  | { readonly ok: true; readonly value: V; readonly cost: number }
  | { readonly ok: false; readonly error: EvaluationError; readonly cost: number };

export interface EvaluateOptions {
  readonly costLimit?: number;
}

/** A compiled expression, without state between evaluations. */
export class Program<V extends Value = Value> {
  readonly source: string;
  /** The inferred type of the result. */
  readonly resultType: Type;
  readonly #step: Step;
  readonly #expected: Type;
  readonly #isExpected: Guard;
  readonly #rootOffset: number;

  constructor(source: string, checked: Checked, expected: Type | undefined) {
    this.source = source;
    this.resultType = checked.type;
    this.#step = plan(checked);
    this.#expected = expected ?? dynType;
    this.#isExpected = guardFor(this.#expected);
    this.#rootOffset = checked.expression.offset;
  }

  evaluate(bindings: Bindings, options?: EvaluateOptions): Evaluation<V> {
    const frame = new Frame(bindings, options?.costLimit ?? defaultCostLimit);
    const outcome = this.#run(frame);
    const failure = failed(outcome) ? outcome : this.#unexpected(outcome);
    if (failure !== undefined) {
      return { ok: false, error: new EvaluationError(failure, this.source), cost: frame.cost };
    }
    return { ok: true, value: outcome as V, cost: frame.cost };
  }

  #run(frame: Frame): Outcome {
    try {
      return this.#step(frame);
    } catch (error) {
      if (error instanceof Abort) return error.failure.at(frame.position);
      throw error;
    }
  }

  #unexpected(value: Value): Failure | undefined {
    if (this.#isExpected(value)) return undefined;
    const message = `expected type '${formatType(this.#expected)}' but found '${typeNameOf(value)}'`;
    return new Failure("unexpected-result", message).at(this.#rootOffset);
  }
}
