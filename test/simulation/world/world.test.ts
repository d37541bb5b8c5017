import { describe, expect, it } from "vitest";
import { runSeed } from "../run-seed.ts";
import { counterSetup } from "./counter-setup.ts";

const seeds = (from: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => from + at);

describe("the simulator", () => {
  it("finds no violations in a correct program under any faults", async () => {
    for (const seed of seeds(1, 20)) {
      const { violation } = await runSeed(counterSetup("by version"), { seed });
      expect(violation?.message, `seed ${seed}`).toBeUndefined();
    }
  });

  it("is deterministic: the same seed gives the same writes and messages", async () => {
    for (const seed of seeds(1, 6)) {
      const [one, two] = [
        await runSeed(counterSetup("by version"), { seed }),
        await runSeed(counterSetup("by version"), { seed, keeps: "lines" }),
      ];
      expect(two.digest, `seed ${seed}`).toBe(one.digest);
    }
  });

  it("gives different runs for different seeds", async () => {
    const runs = await Promise.all(seeds(1, 3).map((seed) => runSeed(counterSetup("by version"), { seed })));
    expect(new Set(runs.map(({ digest }) => digest)).size).toBe(3);
  });

  it("finds lost updates", async () => {
    const found = [];
    for (const seed of seeds(1, 20)) {
      const { violation } = await runSeed(counterSetup("blindly"), { seed });
      if (violation !== undefined) found.push(violation.invariant);
    }
    expect(new Set(found)).toEqual(new Set(["C1"]));
  });
});
