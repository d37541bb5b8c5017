// What `npm run simulate` runs, in one file with all that is simulated.
import { parseArgs } from "node:util";
import { mutationNamed } from "./mutations/mutations.ts";
import { isEmbedded, quotaSubject } from "./quota-subject.ts";
import { type RunOptions, runSeed } from "./run-seed.ts";
import { runShrunk } from "./run-shrunk.ts";
import type { Run } from "./run-world.ts";
import { runScenario } from "./scenarios/scenario.ts";
import { scenarioNamed } from "./scenarios/scenarios.ts";

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

/** A planted mistake that is not found by then is not found. */
const mutationSeeds = 500;
const shrinkRuns = 300;
/** Of the trace of a failure, the end is what matters. */
const linesShown = 400;

process.on("uncaughtException", (error) => {
  console.error(error instanceof RangeError ? error.message : error);
  process.exit(2);
});

const first = whole("seed") ?? 1;
const steps = whole("steps");
const isHunt = values.mutation !== undefined;
const minutes = Number(values.minutes ?? 0);
const begunMs = performance.now();
if (!Number.isFinite(minutes)) throw new RangeError(`--minutes takes a number, not "${values.minutes}"`);

process.exitCode = await main();

async function main(): Promise<number> {
  if (values.scenario !== undefined) return played(values.scenario);
  const mutation = isHunt ? mutationNamed(values.mutation ?? "") : undefined;
  const directed = mutation?.scenario;
  if (directed !== undefined && (await played(directed)) !== 0) return 0;
  let [runs, writes] = [0, 0];
  for (let seed = first; goesOn(runs); seed += 1) {
    if (mutation?.worlds === "embedded" && !isEmbedded(seed)) continue;
    const run = await runOf({ seed, ...(values.trace === true ? { keeps: "lines" } : {}) });
    if (values.trace === true) console.log(run.lines.join("\n"));
    [runs, writes] = [runs + 1, writes + run.writes];
    if (run.broken !== undefined) return isHunt ? found(run, runs) : await failed(run);
    if (runs % 50 === 0) console.log(`${runs} seeds, ${writes} writes, ${seconds()} s`);
  }
  console.log(`${runs} seeds from ${first} on, ${writes} writes, ${seconds()} s: nothing is wrong`);
  return isHunt ? 1 : 0;
}

/** 1 if something is wrong at its end. */
async function played(name: string): Promise<number> {
  const { broken, lines } = await runScenario(scenarioNamed(name), "lines");
  if (!isHunt || values.trace === true) console.log(lines.slice(-linesShown).join("\n"));
  console.log(broken === undefined ? `nothing is wrong when ${name}` : `found when ${name}: ${broken.message}`);
  return broken === undefined ? 0 : 1;
}

function goesOn(runs: number): boolean {
  if (isHunt) return runs < mutationSeeds;
  if (values.forever === true) return true;
  if (values.minutes !== undefined) return performance.now() - begunMs < minutes * 60_000;
  return runs < (whole("seeds") ?? (values.seed === undefined ? 100 : 1));
}

function found({ seed, broken }: Run, runs: number): number {
  console.log(
    `found by ${broken?.invariant} with seed ${seed}, the ${runs}. one, after ${seconds()} s: ${broken?.message}`,
  );
  return 0;
}

async function failed(run: Run): Promise<number> {
  console.log(`seed ${run.seed} is wrong: ${run.broken?.message}\nlooking for the fewest steps that show it...`);
  const again = (only: ReadonlySet<number>): Promise<Run> => runOf({ seed: run.seed, only, keeps: "lines" });
  const shrunk = await runShrunk(run, { again, runsMax: shrinkRuns });
  const shown = shrunk.lines.slice(-linesShown);
  console.log([`the end of what happened (${shrunk.lines.length} lines):`, ...shown].join("\n"));
  const replay = `npm run simulate -- --seed ${run.seed}${steps === undefined ? "" : ` --steps ${steps}`}`;
  console.log(`\n${shrunk.broken?.message}\n\nagain: ${replay}`);
  return 1;
}

function runOf(options: RunOptions): Promise<Run> {
  return runSeed(quotaSubject(options.seed), { ...options, ...(steps === undefined ? {} : { steps }) });
}

function whole(name: "seed" | "seeds" | "steps"): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,15}$/.test(text)) throw new RangeError(`--${name} takes a whole number, not "${text}"`);
  return Number(text);
}

function seconds(): number {
  return Math.round((performance.now() - begunMs) / 1_000);
}
