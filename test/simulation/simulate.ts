// `npm run simulate`: bundles the simulator, with a mutation if one is given, and runs it in a child process.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { bundleSimulation } from "./mutations/bundle-simulation.ts";
import { mutationNamed } from "./mutations/mutations.ts";

const usage = `npm run simulate -- [options]
  --seed N         first seed (default 1)
  --seeds K        number of seeds (default 1 with --seed, otherwise 100)
  --steps M        workload steps per seed (default: drawn from the seed)
  --minutes X      run seeds for this long
  --forever        run until an invariant is violated or the process is interrupted
  --mutation NAME  apply a mutation, then run its scenario and seeds until an invariant detects it
  --scenario NAME  run one scripted scenario
  --trace          print the trace of every run`;

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
    help: { type: "boolean" },
  },
});

if (values.help === true) console.log(usage);
else process.exitCode = await simulate().catch(reportError);

function reportError(error: unknown): number {
  console.error(error instanceof RangeError ? error.message : error);
  return 2;
}

async function simulate(): Promise<number> {
  const mutation = values.mutation === undefined ? undefined : mutationNamed(values.mutation);
  const file = await bundleSimulation(mutation);
  const args = Object.entries(values).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, value],
  );
  try {
    return await new Promise((resolve) => {
      const child = spawn(process.execPath, ["--enable-source-maps", file, ...args.map(String)], {
        stdio: "inherit",
      });
      child.on("close", (code) => resolve(code ?? 1));
    });
  } finally {
    rmSync(file, { force: true });
  }
}
