import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { bundle } from "../tools/bundle.ts";
import { median } from "./interleaved.ts";
import { cpuTimesOf } from "./program/cpu-time.ts";
import type { Figure, Suite } from "./run.ts";

const program = join("node_modules", ".cache", "milo-quota", "bench", "commands", "milo-quota.js");
const rounds = 15;
/** CPU times have a resolution of 10 ms, so a round measures several runs together. */
const runsInRound = 4;

const commands: readonly (readonly string[])[] = [
  ["--version"],
  ["--help"],
  ["usage", "--server", "https://127.0.0.1:1"],
];

/** CPU time of whole commands, against an empty Node program. */
export const suite: Suite = async () => {
  await bundle(program);
  const measured = Array.from({ length: rounds }, () => ({
    empty: cpuMsOf(["-e", "0"]),
    commands: commands.map((args) => cpuMsOf([program, ...args])),
  }));
  const emptyMs = median(measured.map(({ empty }) => empty));
  const figures = commands.map(
    ([name], at): Figure => ({
      name: `CPU time of milo-quota ${name}`,
      value: median(measured.map((round) => round.commands[at] as number)) / emptyMs,
      unit: "x node -e 0",
      ...(name === "--version" ? { budget: "versionCpu" } : {}),
    }),
  );
  return [{ name: "CPU time of node -e 0", value: emptyMs, unit: "ms" }, ...figures].filter(
    ({ value }) => !Number.isNaN(value),
  );
};

/** CPU time of one run. */
function cpuMsOf(args: readonly string[]): number {
  const beforeMs = cpuTimesOf(process.pid).childrenMs;
  for (let run = 0; run < runsInRound; run += 1) spawnSync(process.execPath, args, { stdio: "ignore" });
  return (cpuTimesOf(process.pid).childrenMs - beforeMs) / runsInRound;
}
