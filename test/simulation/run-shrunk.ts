import type { Run } from "./run-world.ts";

export interface Shrinking {
  /** The same seed with some of its steps. */
  readonly again: (only: ReadonlySet<number>) => Promise<Run>;
  /** How often it may be run. */
  readonly runsMax: number;
}

/** The fewest steps found that still break the same invariant: without any one of them it is not broken, if there was time. */
export async function runShrunk(failed: Run, { again, runsMax }: Shrinking): Promise<Run> {
  let [best, runs] = [failed, 0];
  const tries = async (numbers: readonly number[]): Promise<boolean> => {
    runs += 1;
    const run = await again(new Set(numbers));
    const isSame = run.broken?.invariant === failed.broken?.invariant;
    if (isSame) best = run;
    return isSame;
  };
  let left: readonly number[] = failed.steps.filter(({ atMs }) => atMs <= failed.lastedMs).map(({ number }) => number);
  if (!(await tries(left))) return failed;
  for (let size = Math.ceil(left.length / 2); size >= 1 && runs < runsMax; ) {
    const smaller = await withoutSome(left, { size, tries, isOver: () => runs >= runsMax });
    if (smaller.length === left.length) size = size === 1 ? 0 : Math.ceil(size / 2);
    left = smaller;
  }
  return best;
}

interface Attempt {
  readonly size: number;
  readonly tries: (numbers: readonly number[]) => Promise<boolean>;
  readonly isOver: () => boolean;
}

/** Leaves out so many at a time, from the last to the first. */
async function withoutSome(numbers: readonly number[], { size, tries, isOver }: Attempt): Promise<readonly number[]> {
  let left = numbers;
  for (let end = left.length; end > 0 && !isOver(); end -= size) {
    const without = [...left.slice(0, Math.max(0, end - size)), ...left.slice(end)];
    if (await tries(without)) left = without;
  }
  return left;
}
