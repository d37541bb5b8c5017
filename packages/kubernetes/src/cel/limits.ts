/** Bounds on an expression. An expression beyond one of them is refused, never half read. */
export interface Limits {
  /** Code points. */
  readonly length: number;
  /** Levels of nesting, and of operators applied to operators. */
  readonly depth: number;
}

export const defaultLimits: Limits = { length: 100_000, depth: 250 };

/** What one evaluation may spend, in the units Kubernetes uses. */
export const defaultCostLimit = 1_000_000;
