/** A seed that found a bug. */
export interface Regression {
  readonly seed: number;
  readonly steps?: number;
  /** What was wrong. */
  readonly bug: string;
}

/** A seed reproduces its run only as long as workloads and faults draw the same random numbers in the same order. */
export const regressions: readonly Regression[] = [
  {
    seed: 4082,
    bug: "a bucket that was no longer needed was forgotten if it was observed during the recount of other buckets",
  },
  {
    seed: 546,
    bug: "a policy that became ready between the admission of an object and its slow append got no claim for minutes",
  },
];
