import { expect, it } from "vitest";
import { quotaSubject } from "../quota-subject.ts";
import { runSeed } from "../run-seed.ts";

/** At least so many seeds, and at least for so long; from a first seed that may be another every night. */
const seedCount = Number(process.env["SIMULATION_SEEDS"] ?? 300);
const minutes = Number(process.env["SIMULATION_MINUTES"] ?? 0);
const firstSeed = Number(process.env["SIMULATION_FIRST_SEED"] ?? 1);
const partCount = 6;

/** One part of the seeds: they are shared out over several files, which run at the same time. */
export function checkSeeds(part: number): void {
  const count = Math.ceil(seedCount / partCount);
  it(
    `controllers keep every promise in worlds where everything goes wrong, in ${count} of them at least`,
    async () => {
      const endMs = performance.now() + (minutes / partCount) * 60_000;
      let [runs, writes] = [0, 0];
      for (let seed = firstSeed + part - 1; runs < count || performance.now() < endMs; seed += partCount) {
        const run = await runSeed(quotaSubject(seed), { seed });
        expect(run.broken?.message, `npm run simulate -- --seed ${seed} shows what happened`).toBeUndefined();
        [runs, writes] = [runs + 1, writes + run.writes];
      }
      console.log(
        `${runs} seeds, each ${partCount}th from ${firstSeed + part - 1} on, ${writes} writes: nothing is wrong`,
      );
    },
    (minutes + 60) * 60_000,
  );
}
