/** Randomness as a parameter: a number from 0 up to, but excluding, 1. */
export interface Random {
  fraction(): number;
}

export interface BackoffLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * Exponential backoff with jitter: between half and all of the doubled delay, so that clients that failed together do
 * not retry together.
 */
export function backoffMs(failures: number, { minMs, maxMs }: BackoffLimits, random: Random): number {
  if (failures <= 0) return 0;
  const fullMs = Math.min(maxMs, minMs * 2 ** Math.min(failures, 30));
  return fullMs * (0.5 + random.fraction() / 2);
}
