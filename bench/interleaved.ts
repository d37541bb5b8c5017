/** One side of a comparison: repeats its work `times` times. */
export type Work = (times: number) => void;

const blocks = 5;
const blockMs = 200;

/**
 * Runs two workloads in alternating blocks and returns the rate of each per second, the median of five blocks, and the
 * median of the five ratios first/second. Blocks alternate so that other load of the machine affects both sides.
 */
export function interleaved(first: Work, second: Work): { first: number; second: number; ratio: number } {
  const firstTimes = calibrate(first);
  const secondTimes = calibrate(second);
  const rates = Array.from({ length: blocks }, () => [rate(first, firstTimes), rate(second, secondTimes)] as const);
  return {
    first: median(rates.map(([one]) => one)),
    second: median(rates.map(([, two]) => two)),
    ratio: median(rates.map(([one, two]) => one / two)),
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** How often the work fits into one block. Also warms it up. */
function calibrate(work: Work): number {
  let times = 1;
  for (;;) {
    const seconds = secondsOf(work, times);
    if (seconds * 1000 >= blockMs / 4) return Math.max(1, Math.round((times * blockMs) / (seconds * 1000)));
    times *= 2;
  }
}

function rate(work: Work, times: number): number {
  return times / secondsOf(work, times);
}

function secondsOf(work: Work, times: number): number {
  const start = process.hrtime.bigint();
  work(times);
  return Number(process.hrtime.bigint() - start) / 1e9;
}
