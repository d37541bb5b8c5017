import { describe, expect, it } from "vitest";
import { againstBaseline, noiseOf, percentSlower, type Round, workOf } from "./baseline-ratios.ts";

function round(built: number, baseline: number, copy: number): Round {
  const work = (perSecond: number) => ({ perSecond, p50Ms: 1_000 / perSecond, cpuMsEach: Number.NaN });
  return { built: work(built), baseline: work(baseline), copy: work(copy) };
}

describe("workOf", () => {
  it("combines all blocks of a round", () => {
    const fast = { count: 300, perSecond: 300, p50Ms: 3, cpuMs: 100 };
    const slow = { count: 100, perSecond: 100, p50Ms: 9, cpuMs: 60 };
    expect(workOf([fast, slow, fast])).toEqual({ perSecond: 700 / 3, p50Ms: 3, cpuMsEach: 260 / 700 });
  });
});

describe("ratios against a baseline", () => {
  const rounds = [round(90, 100, 100), round(110, 90, 110), round(300, 100, 50)];

  it("compare this build with the mean of both baseline processes", () => {
    expect(againstBaseline(rounds, "perSecond")).toBeCloseTo(1.1);
  });

  it("measure the difference of the two baseline processes", () => {
    expect(noiseOf(rounds, "perSecond")).toBe(1);
    expect(noiseOf(rounds, "p50Ms")).toBe(1);
  });

  it("are NaN without a measurement", () => {
    expect(againstBaseline(rounds, "cpuMsEach")).toBeNaN();
  });

  const cases: Record<string, [ratio: number, noise: readonly number[], percent: number]> = {
    "count the loss": [0.9, [1], 10],
    "allow for noise in either direction": [0.9, [0.97, 1.04, 1], 6],
    "are 0 if the noise is larger": [0.98, [0.95], 0],
    "are 0 for a faster build": [1.2, [1], 0],
  };
  for (const [name, [ratio, noise, percent]] of Object.entries(cases)) {
    it(`as a percentage ${name}`, () => expect(percentSlower(ratio, noise)).toBeCloseTo(percent));
  }
});
