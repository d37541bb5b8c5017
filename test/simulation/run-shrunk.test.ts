import { describe, expect, it } from "vitest";
import { runShrunk } from "./run-shrunk.ts";
import type { Run } from "./run-world.ts";
import { InvariantBroken } from "./world/world.ts";

const stepCount = 40;

/** A run that is broken when all of these steps are taken. */
function runOf(needed: readonly number[], only: ReadonlySet<number>): Run {
  const isBroken = needed.every((number) => only.has(number));
  return {
    seed: 1,
    digest: "",
    lines: [[...only].join(" ")],
    writes: 0,
    steps: Array.from({ length: stepCount }, (_, number) => ({ number, atMs: number * 10, what: "" })),
    lastedMs: 300,
    broken: isBroken ? new InvariantBroken("I1", "too much") : undefined,
  };
}

const all = new Set(Array.from({ length: stepCount }, (_, number) => number));

async function shrunk(
  needed: readonly number[],
  runsMax: number,
): Promise<{ readonly left: string; readonly runs: number }> {
  let runs = 0;
  const again = async (only: ReadonlySet<number>): Promise<Run> => {
    runs += 1;
    return runOf(needed, only);
  };
  const { lines } = await runShrunk(runOf(needed, all), { again, runsMax });
  return { left: lines[0] ?? "", runs };
}

describe("shrinking", () => {
  const cases: Record<string, readonly number[]> = {
    "one step": [17],
    "two that are far apart": [0, 29],
    "four in a row": [8, 9, 10, 11],
    "none at all": [],
  };
  for (const [name, needed] of Object.entries(cases)) {
    it(`leaves what is needed: ${name}`, async () => {
      expect((await shrunk(needed, 500)).left).toBe(needed.join(" "));
    });
  }

  it("ends in time, with what it has by then", async () => {
    const { left, runs } = await shrunk([3, 25], 4);
    expect(runs).toBeLessThanOrEqual(5);
    expect(left.split(" ")).toEqual(expect.arrayContaining(["3", "25"]));
  });

  it("keeps what does not break the same invariant again", async () => {
    const failed = runOf([1], all);
    const again = async (only: ReadonlySet<number>): Promise<Run> => runOf([stepCount], only);
    expect(await runShrunk(failed, { again, runsMax: 10 })).toBe(failed);
  });
});
