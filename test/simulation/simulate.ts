// `npm run simulate`: the controllers in worlds where everything goes wrong that can, one world for each seed.
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { bundleSimulation } from "./mutations/bundle-simulation.ts";
import { mutationNamed } from "./mutations/mutations.ts";

const usage = `npm run simulate -- [options]
  --seed N         begin with this seed (1)
  --seeds K        so many seeds (1 with --seed, else 100)
  --steps M        so many steps in each; by the seed when left out
  --minutes X      as many seeds as fit
  --forever        until something is found, or somebody has enough
  --mutation NAME  plant a mistake, and run its scenario, then seeds, until it is found
  --scenario NAME  one exact order of events
  --trace          print what happened in each run, whatever came of it`;

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
else process.exitCode = await simulate().catch(explain);

function explain(error: unknown): number {
  console.error(error instanceof RangeError ? error.message : error);
  return 2;
}

async function simulate(): Promise<number> {
  const mutation = values.mutation === undefined ? undefined : mutationNamed(values.mutation);
  const file = await bundleSimulation(mutation);
  const passed = Object.entries(values).flatMap(([name, value]) =>
    value === true ? [`--${name}`] : [`--${name}`, value],
  );
  try {
    return await new Promise((resolve) => {
      const child = spawn(process.execPath, ["--enable-source-maps", file, ...passed.map(String)], {
        stdio: "inherit",
      });
      child.on("close", (code) => resolve(code ?? 1));
    });
  } finally {
    rmSync(file, { force: true });
  }
}
