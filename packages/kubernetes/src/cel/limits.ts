/** Limits of an expression. Larger expressions are rejected before parsing. */
export interface Limits {
  /** Code points. */
  readonly length: number;
  /** Levels of nesting, and of operators applied to operators. */
  readonly depth: number;
}

export const defaultLimits: Limits = { length: 100_000, depth: 250 };

/** Cost limit of one evaluation, in the units of Kubernetes. */
export const defaultCostLimit = 1_000_000;
