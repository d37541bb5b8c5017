import { describe, expect, it } from "vitest";
import { quotaSetup } from "./quota-setup.ts";
import { regressions } from "./regressions.ts";
import { runSeed } from "./run-seed.ts";
import type { Run } from "./run-world.ts";

const timeoutMs = 10 * 60_000;

const replayHint = (seed: number): string => `replay with: npm run simulate -- --seed ${seed}`;

describe("simulation", () => {
  for (const { seed, steps, bug } of regressions) {
    it(`seed ${seed} does not regress: ${bug}`, async () => {
      const run = await runSeed(quotaSetup(seed), { seed, ...(steps === undefined ? {} : { steps }) });
      expect(run.violation?.message, replayHint(seed)).toBeUndefined();
    });
  }

  it(
    "is deterministic: the same seed gives the same writes and messages",
    async () => {
      const runs = async (seed: number): Promise<readonly Run[]> => [
        await runSeed(quotaSetup(seed), { seed }),
        await runSeed(quotaSetup(seed), { seed, keeps: "lines" }),
      ];
      for (const seed of [2, 3, 24, 26]) {
        const [one, two] = await runs(seed);
        expect(two?.digest, `seed ${seed}`).toBe(one?.digest);
      }
    },
    timeoutMs,
  );
});
