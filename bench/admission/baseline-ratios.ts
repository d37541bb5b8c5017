import { median } from "../interleaved.ts";
import type { Load } from "./create-load.ts";

/** One block of a round. */
export interface Block extends Load {
  /** CPU time of the program; NaN where the operating system has no /proc. */
  readonly cpuMs: number;
}

/** Results of one program in one round. */
export interface Work {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly cpuMsEach: number;
}

/** One round: this build and two processes of the baseline. */
export interface Round {
  readonly built: Work;
  readonly baseline: Work;
  readonly copy: Work;
}

export function workOf(blocks: readonly Block[]): Work {
  const sum = (value: (block: Block) => number): number => blocks.reduce((total, block) => total + value(block), 0);
  const count = sum((block) => block.count);
  return {
    perSecond: count / sum((block) => block.count / block.perSecond),
    p50Ms: median(blocks.map((block) => block.p50Ms)),
    cpuMsEach: sum((block) => block.cpuMs) / count,
  };
}

/** This build against the mean of both baseline processes, the median of all rounds. */
export function againstBaseline(rounds: readonly Round[], what: keyof Work): number {
  return median(rounds.map(({ built, baseline, copy }) => (2 * built[what]) / (baseline[what] + copy[what])));
}

/** The two baseline processes against each other: any difference is noise. */
export function noiseOf(rounds: readonly Round[], what: keyof Work): number {
  return median(rounds.map(({ baseline, copy }) => copy[what] / baseline[what]));
}

/** Percentage by which a throughput is lower, less the largest noise. */
export function percentSlower(ratio: number, noise: readonly number[]): number {
  const lost = 1 - ratio - Math.max(...noise.map((each) => Math.abs(1 - each)));
  return Math.max(0, 100 * lost);
}
