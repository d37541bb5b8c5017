import { describe, expect, it } from "vitest";
import type { Run } from "./run-world.ts";
import { shrink } from "./shrink.ts";
import { InvariantViolation } from "./world/world.ts";

const stepCount = 40;

/** A run that violates an invariant if it takes all of the needed steps. */
function runOf(needed: readonly number[], only: ReadonlySet<number>): Run {
  const isViolated = needed.every((number) => only.has(number));
  return {
    seed: 1,
    digest: "",
    lines: [[...only].join(" ")],
    writes: 0,
    steps: Array.from({ length: stepCount }, (_, number) => ({ number, atMs: number * 10, what: "" })),
    lastedMs: 300,
    violation: isViolated ? new InvariantViolation("I1", "too much") : undefined,
  };
}

const all = new Set(Array.from({ length: stepCount }, (_, number) => number));

async function shrinkRun(
  needed: readonly number[],
  runsMax: number,
): Promise<{ readonly left: string; readonly runs: number }> {
  let runs = 0;
  const again = async (only: ReadonlySet<number>): Promise<Run> => {
    runs += 1;
    return runOf(needed, only);
  };
  const { lines } = await shrink(runOf(needed, all), { again, runsMax });
  return { left: lines[0] ?? "", runs };
}

describe("shrinking", () => {
  const cases: Record<string, readonly number[]> = {
    "one step": [17],
    "two distant steps": [0, 29],
    "four consecutive steps": [8, 9, 10, 11],
    "no steps": [],
  };
  for (const [name, needed] of Object.entries(cases)) {
    it(`keeps only the steps that the violation needs: ${name}`, async () => {
      expect((await shrinkRun(needed, 500)).left).toBe(needed.join(" "));
    });
  }

  it("stops at the limit of runs and returns the smallest run so far", async () => {
    const { left, runs } = await shrinkRun([3, 25], 4);
    expect(runs).toBeLessThanOrEqual(5);
    expect(left.split(" ")).toEqual(expect.arrayContaining(["3", "25"]));
  });

  it("returns the original run if the violation does not reproduce", async () => {
    const failed = runOf([1], all);
    const again = async (only: ReadonlySet<number>): Promise<Run> => runOf([stepCount], only);
    expect(await shrink(failed, { again, runsMax: 10 })).toBe(failed);
  });
});
