import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";

/** A property that must hold after every durable write. */
export interface Invariant {
  /** Such as `I1`. */
  readonly name: string;
  /** Violations by a write, which `truth` already contains. */
  violations(change: QuotaChange, truth: QuotaTruth): Iterable<string>;
}
