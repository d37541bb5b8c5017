// Entry point of the bundle that `npm run simulate` runs.
import { parseArgs } from "node:util";
import { mutationNamed } from "./mutations/mutations.ts";
import { isEmbedded, quotaSetup } from "./quota-setup.ts";
import { type RunOptions, runSeed } from "./run-seed.ts";
import type { Run } from "./run-world.ts";
import { runScenario } from "./scenarios/scenario.ts";
import { scenarioNamed } from "./scenarios/scenarios.ts";
import { shrink } from "./shrink.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    seeds: { type: "string" },
    steps: { type: "string" },
    minutes: { type: "string" },
    forever: { type: "boolean" },
    mutation: { type: "string" },
    scenario: { type: "string" },
    trace: { type: "boolean" },
  },
});

/** A mutation that survives this many seeds counts as not detected. */
const mutationSeeds = 500;
const shrinkRuns = 300;
/** Only the end of a failure's trace is printed. */
const linesShown = 400;

process.on("uncaughtException", (error) => {
  console.error(error instanceof RangeError ? error.message : error);
  process.exit(2);
});

const first = integerOption("seed") ?? 1;
const steps = integerOption("steps");
const isMutated = values.mutation !== undefined;
const minutes = Number(values.minutes ?? 0);
const startedMs = performance.now();
if (!Number.isFinite(minutes)) throw new RangeError(`--minutes must be a number, not "${values.minutes}"`);

process.exitCode = await main();

async function main(): Promise<number> {
  if (values.scenario !== undefined) return runNamedScenario(values.scenario);
  const mutation = isMutated ? mutationNamed(values.mutation ?? "") : undefined;
  const scenario = mutation?.scenario;
  if (scenario !== undefined && (await runNamedScenario(scenario)) !== 0) return 0;
  let [runs, writes] = [0, 0];
  for (let seed = first; shouldContinue(runs); seed += 1) {
    if (mutation?.worlds === "embedded" && !isEmbedded(seed)) continue;
    const run = await runOf({ seed, ...(values.trace === true ? { keeps: "lines" } : {}) });
    if (values.trace === true) console.log(run.lines.join("\n"));
    [runs, writes] = [runs + 1, writes + run.writes];
    if (run.violation !== undefined) return isMutated ? reportDetection(run, runs) : await reportFailure(run);
    if (runs % 50 === 0) console.log(`${runs} seeds, ${writes} writes, ${seconds()} s`);
  }
  console.log(`${runs} seeds starting at ${first}, ${writes} writes, ${seconds()} s: no violations`);
  return isMutated ? 1 : 0;
}

/** Returns 1 if the scenario violates an invariant. */
async function runNamedScenario(name: string): Promise<number> {
  const { violation, lines } = await runScenario(scenarioNamed(name), "lines");
  if (!isMutated || values.trace === true) console.log(lines.slice(-linesShown).join("\n"));
  console.log(
    violation === undefined ? `no violations in scenario: ${name}` : `found in scenario: ${name}: ${violation.message}`,
  );
  return violation === undefined ? 0 : 1;
}

function shouldContinue(runs: number): boolean {
  if (isMutated) return runs < mutationSeeds;
  if (values.forever === true) return true;
  if (values.minutes !== undefined) return performance.now() - startedMs < minutes * 60_000;
  return runs < (integerOption("seeds") ?? (values.seed === undefined ? 100 : 1));
}

function reportDetection({ seed, violation }: Run, runs: number): number {
  console.log(
    `found by ${violation?.invariant} with seed ${seed} (run ${runs}) after ${seconds()} s: ${violation?.message}`,
  );
  return 0;
}

async function reportFailure(run: Run): Promise<number> {
  console.log(`seed ${run.seed} failed: ${run.violation?.message}\nshrinking to the steps that it needs...`);
  const again = (only: ReadonlySet<number>): Promise<Run> => runOf({ seed: run.seed, only, keeps: "lines" });
  const shrunk = await shrink(run, { again, runsMax: shrinkRuns });
  const shown = shrunk.lines.slice(-linesShown);
  console.log([`end of the trace (${shrunk.lines.length} lines):`, ...shown].join("\n"));
  const replay = `npm run simulate -- --seed ${run.seed}${steps === undefined ? "" : ` --steps ${steps}`}`;
  console.log(`\n${shrunk.violation?.message}\n\nreplay with: ${replay}`);
  return 1;
}

function runOf(options: RunOptions): Promise<Run> {
  return runSeed(quotaSetup(options.seed), { ...options, ...(steps === undefined ? {} : { steps }) });
}

function integerOption(name: "seed" | "seeds" | "steps"): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,15}$/.test(text)) throw new RangeError(`--${name} must be an integer, not "${text}"`);
  return Number(text);
}

function seconds(): number {
  return Math.round((performance.now() - startedMs) / 1_000);
}
