import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bundleSimulation } from "../bundle-simulation.ts";
import { mutations } from "../mutations.ts";

// Takes long, so it runs on demand: SIMULATION_MUTATIONS is "all" or a part of the names of mutations.
const wanted = process.env["SIMULATION_MUTATIONS"] ?? "";
const timeoutMs = 60 * 60_000;
const partCount = 8;
const chosen = mutations.filter(({ name }) => wanted === "all" || (wanted !== "" && name.includes(wanted)));

/** Runs one part of the mutations. The parts are in separate test files, so that they run in parallel. */
export function findMutations(part: number): void {
  const here = chosen.filter((_, at) => at % partCount === part - 1);
  describe.runIf(here.length > 0)("the simulator detects the mutation:", () => {
    for (const mutation of here) {
      it(
        mutation.name,
        async () => {
          const file = await bundleSimulation(mutation);
          try {
            const { stdout } = await promisify(execFile)(process.execPath, [file, "--mutation", mutation.name]);
            console.log(`${mutation.name}: ${stdout.trim().split("\n").at(-1)}`);
            expect(stdout).toContain("found ");
          } finally {
            rmSync(file, { force: true });
          }
        },
        timeoutMs,
      );
    }
  });
}
