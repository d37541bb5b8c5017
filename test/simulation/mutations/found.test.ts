// On demand, for it takes long: SIMULATION_MUTATIONS=all, or a part of the name of those to be looked for.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { bundleSimulation } from "./bundle-simulation.ts";
import { mutations } from "./mutations.ts";

const wanted = process.env["SIMULATION_MUTATIONS"] ?? "";
const timeoutMs = 60 * 60_000;
const chosen = mutations.filter(({ name }) => wanted === "all" || (wanted !== "" && name.includes(wanted)));

describe.runIf(chosen.length > 0)("a planted mistake is found:", () => {
  for (const mutation of chosen) {
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
