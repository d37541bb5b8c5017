/** Chance as a parameter: from 0 up to, and never, 1. */
export interface Random {
  fraction(): number;
}

export interface BackoffLimits {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * How long to wait after that many failures in a row: doubling, and between half and all of it by chance, so that those
 * who failed together do not come back together.
 */
export function backoffMs(failures: number, { minMs, maxMs }: BackoffLimits, random: Random): number {
  if (failures <= 0) return 0;
  const fullMs = Math.min(maxMs, minMs * 2 ** Math.min(failures, 30));
  return fullMs * (0.5 + random.fraction() / 2);
}
