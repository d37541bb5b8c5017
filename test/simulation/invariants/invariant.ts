import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";

/** Something that must hold after every write. */
export interface Invariant {
  /** Such as `I1`. */
  readonly name: string;
  /** What a write broke; `truth` has it already. */
  faults(change: QuotaChange, truth: QuotaTruth): Iterable<string>;
}
