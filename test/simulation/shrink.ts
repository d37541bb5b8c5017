import type { Run } from "./run-world.ts";

export interface ShrinkOptions {
  /** Runs the same seed with a subset of its steps. */
  readonly again: (only: ReadonlySet<number>) => Promise<Run>;
  /** Limit of runs. */
  readonly runsMax: number;
}

/** Removes steps as long as the run violates the same invariant. Within the limit of runs, no single step of the result can be removed. */
export async function shrink(failed: Run, { again, runsMax }: ShrinkOptions): Promise<Run> {
  let [best, runs] = [failed, 0];
  const reproduces = async (numbers: readonly number[]): Promise<boolean> => {
    runs += 1;
    const run = await again(new Set(numbers));
    const isSame = run.violation?.invariant === failed.violation?.invariant;
    if (isSame) best = run;
    return isSame;
  };
  let left: readonly number[] = failed.steps.filter(({ atMs }) => atMs <= failed.lastedMs).map(({ number }) => number);
  if (!(await reproduces(left))) return failed;
  for (let size = Math.ceil(left.length / 2); size >= 1 && runs < runsMax; ) {
    const smaller = await withoutChunks(left, { size, reproduces, isOver: () => runs >= runsMax });
    if (smaller.length === left.length) size = size === 1 ? 0 : Math.ceil(size / 2);
    left = smaller;
  }
  return best;
}

interface ChunkOptions {
  readonly size: number;
  readonly reproduces: (numbers: readonly number[]) => Promise<boolean>;
  readonly isOver: () => boolean;
}

/** Tries to remove chunks of `size` steps, from the last to the first. */
async function withoutChunks(
  numbers: readonly number[],
  { size, reproduces, isOver }: ChunkOptions,
): Promise<readonly number[]> {
  let left = numbers;
  for (let end = left.length; end > 0 && !isOver(); end -= size) {
    const without = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
    if (await reproduces(without)) left = without;
  }
  return left;
}
