import { describe, expect, it } from "vitest";
import { runSeed } from "../run-seed.ts";
import { countingSubject } from "./counting-subject.ts";

const seeds = (from: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => from + at);

describe("a simulated world", () => {
  it("lets what is right come out right, whatever goes wrong", async () => {
    for (const seed of seeds(1, 20)) {
      const { broken } = await runSeed(countingSubject("by version"), { seed });
      expect(broken?.message, `seed ${seed}`).toBeUndefined();
    }
  });

  it("is the same world for the same seed, down to every write and message", async () => {
    for (const seed of seeds(1, 6)) {
      const [one, two] = [
        await runSeed(countingSubject("by version"), { seed }),
        await runSeed(countingSubject("by version"), { seed, keeps: "lines" }),
      ];
      expect(two.digest, `seed ${seed}`).toBe(one.digest);
    }
  });

  it("is another world for another seed", async () => {
    const runs = await Promise.all(seeds(1, 3).map((seed) => runSeed(countingSubject("by version"), { seed })));
    expect(new Set(runs.map(({ digest }) => digest)).size).toBe(3);
  });

  it("finds writes that overwrite each other", async () => {
    const found = [];
    for (const seed of seeds(1, 20)) {
      const { broken } = await runSeed(countingSubject("blindly"), { seed });
      if (broken !== undefined) found.push(broken.invariant);
    }
    expect(new Set(found)).toEqual(new Set(["C1"]));
  });
});
