import { describe, expect, it } from "vitest";
import { quotaSubject } from "./quota-subject.ts";
import { regressions } from "./regressions.ts";
import { runSeed } from "./run-seed.ts";
import type { Run } from "./run-world.ts";

/** At least so many seeds, and at least for so long; from a first seed that may be another every night. */
const seedCount = Number(process.env["SIMULATION_SEEDS"] ?? 300);
const minutes = Number(process.env["SIMULATION_MINUTES"] ?? 0);
const firstSeed = Number(process.env["SIMULATION_FIRST_SEED"] ?? 1);
const timeoutMs = (minutes + 60) * 60_000;

const again = (seed: number): string => `npm run simulate -- --seed ${seed} shows what happened`;

describe("controllers in worlds where everything goes wrong", () => {
  it(
    `keep every promise, in ${seedCount} of them at least`,
    async () => {
      const endMs = performance.now() + minutes * 60_000;
      let [runs, writes] = [0, 0];
      for (let seed = firstSeed; runs < seedCount || performance.now() < endMs; seed += 1) {
        const run = await runSeed(quotaSubject(seed), { seed });
        expect(run.broken?.message, again(seed)).toBeUndefined();
        [runs, writes] = [runs + 1, writes + run.writes];
      }
      console.log(`${runs} seeds from ${firstSeed} on, ${writes} writes: nothing is wrong`);
    },
    timeoutMs,
  );

  for (const { seed, steps, because } of regressions) {
    it(`seed ${seed}: ${because}`, async () => {
      const run = await runSeed(quotaSubject(seed), { seed, ...(steps === undefined ? {} : { steps }) });
      expect(run.broken?.message, again(seed)).toBeUndefined();
    });
  }

  it(
    "are the same for the same seed, down to every write and message",
    async () => {
      const runs = async (seed: number): Promise<readonly Run[]> => [
        await runSeed(quotaSubject(seed), { seed }),
        await runSeed(quotaSubject(seed), { seed, keeps: "lines" }),
      ];
      for (const seed of [2, 3, 24, 26]) {
        const [one, two] = await runs(seed);
        expect(two?.digest, `seed ${seed}`).toBe(one?.digest);
      }
    },
    timeoutMs,
  );
});
