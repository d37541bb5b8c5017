import { excerpt } from "./excerpt.ts";

/** Why an evaluation has no value. The set is closed, so callers can switch over it. */
export type FailureKind =
  | "missing-key"
  | "index-out-of-range"
  | "overflow"
  | "division-by-zero"
  | "no-such-overload"
  | "conversion"
  | "invalid-argument"
  | "unbound-variable"
  | "unexpected-result"
  | "cost-exceeded";

/**
 * A failed computation. It travels as an ordinary result, because `&&`, `||`, `?:`, `all` and `exists` must be able
 * to look past it, and because throwing on every missing label would dominate the time of an evaluation.
 */
export class Failure {
  // Private, like the parts of values: a path through plain objects must not find a field in a failure.
  readonly #kind: FailureKind;
  readonly #message: string;
  #offset = -1;

  constructor(kind: FailureKind, message: string) {
    this.#kind = kind;
    this.#message = message;
  }

  get kind(): FailureKind {
    return this.#kind;
  }

  get message(): string {
    return this.#message;
  }

  /** Where in the expression, in UTF-16 units; negative until the step that failed has signed it. */
  get offset(): number {
    return this.#offset;
  }

  /** Marks the place, unless a deeper step already has. */
  at(offset: number): this {
    if (this.#offset < 0) this.#offset = offset;
    return this;
  }
}

/** Told apart by `typeof` first: most outcomes are texts, numbers and truths. */
export function failed(outcome: unknown): outcome is Failure {
  return typeof outcome === "object" && outcome instanceof Failure;
}

export function noSuchOverload(): Failure {
  return new Failure("no-such-overload", "no such overload");
}

export function missingKey(key: string): Failure {
  return new Failure("missing-key", `no such key: ${excerpt(key)}`);
}
