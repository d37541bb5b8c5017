/** A world in which something was wrong once. */
export interface Regression {
  readonly seed: number;
  readonly steps?: number;
  readonly because: string;
}

/** Kept so that it never comes back unseen. A seed is the same world only as long as those who act in it are the same. */
export const regressions: readonly Regression[] = [
  {
    seed: 4082,
    because: "a page that was seen while others were counted, and that nobody needed by then, was forgotten",
  },
  {
    seed: 546,
    because:
      "a policy that went to work between the admission of an object and its slow append got no claim for minutes",
  },
];
