import { describe, expect, it } from "vitest";
import { quotaSubject } from "./quota-subject.ts";
import { regressions } from "./regressions.ts";
import { runSeed } from "./run-seed.ts";
import type { Run } from "./run-world.ts";

const timeoutMs = 10 * 60_000;

const again = (seed: number): string => `npm run simulate -- --seed ${seed} shows what happened`;

describe("controllers in worlds where everything goes wrong", () => {
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
