import { expect, it } from "vitest";
import { quotaSetup } from "../quota-setup.ts";
import { runSeed } from "../run-seed.ts";

/** Runs at least this many seeds, for at least this long. CI varies the first seed every night. */
const seedCount = Number(process.env["SIMULATION_SEEDS"] ?? 300);
const minutes = Number(process.env["SIMULATION_MINUTES"] ?? 0);
const firstSeed = Number(process.env["SIMULATION_FIRST_SEED"] ?? 1);
const partCount = 6;

/** Checks one part of the seeds. The parts are in separate test files, so that they run in parallel. */
export function checkSeeds(part: number): void {
  const count = Math.ceil(seedCount / partCount);
  it(
    `all invariants hold under fault injection, for at least ${count} seeds`,
    async () => {
      const endMs = performance.now() + (minutes / partCount) * 60_000;
      let [runs, writes] = [0, 0];
      for (let seed = firstSeed + part - 1; runs < count || performance.now() < endMs; seed += partCount) {
        const run = await runSeed(quotaSetup(seed), { seed });
        expect(run.violation?.message, `replay with: npm run simulate -- --seed ${seed}`).toBeUndefined();
        [runs, writes] = [runs + 1, writes + run.writes];
      }
      console.log(`${runs} seeds, every ${partCount}th from ${firstSeed + part - 1}, ${writes} writes: no violations`);
    },
    (minutes + 60) * 60_000,
  );
}
