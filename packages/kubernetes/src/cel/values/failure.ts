import { excerpt } from "./excerpt.ts";

/** Why an evaluation failed. A closed set, for callers to switch over. */
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
 * A failed computation. Returned as an ordinary result, because `&&`, `||`, `?:`, `all` and `exists` may ignore it, and
 * because throwing on every missing label would dominate the time of an evaluation.
 */
export class Failure {
  // Private, like the fields of values: a path through plain objects must not find a field in a failure.
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

  /** Position in the expression, in UTF-16 units; negative until the failing step has set it. */
  get offset(): number {
    return this.#offset;
  }

  /** Sets the position, unless a deeper step already has. */
  at(offset: number): this {
    if (this.#offset < 0) this.#offset = offset;
    return this;
  }
}

/** Checks `typeof` first: most outcomes are strings, numbers and booleans. */
export function failed(outcome: unknown): outcome is Failure {
  return typeof outcome === "object" && outcome instanceof Failure;
}

export function noSuchOverload(): Failure {
  return new Failure("no-such-overload", "no such overload");
}

export function missingKey(key: string): Failure {
  return new Failure("missing-key", `no such key: ${excerpt(key)}`);
}
