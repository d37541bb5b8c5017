import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { type Mutation, mutated } from "./mutation.ts";

const folder = "node_modules/.cache/milo-quota/simulation";

/** Puts the simulator and all it runs into one file, with a mistake in it if one is given. Returns the file. */
export async function bundleSimulation(
  mutation?: Mutation,
  entry = "test/simulation/run-simulation.ts",
): Promise<string> {
  const name = mutation === undefined ? "simulation" : mutation.name.replaceAll(/[^a-z0-9]+/gi, "-");
  const outfile = resolve(join(folder, `${name}-${process.pid}.mjs`));
  let isPlanted = mutation === undefined;
  const plugin = mutation === undefined ? [] : [planting(mutation, () => (isPlanted = true))];
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: "inline",
    legalComments: "none",
    logLevel: "error",
    plugins: plugin,
  });
  if (!isPlanted) throw new Error(`mutation "${mutation?.name}": nothing of what is simulated reads ${mutation?.file}`);
  return outfile;
}

function planting(mutation: Mutation, planted: () => void): Plugin {
  const path = resolve(mutation.file);
  return {
    name: "plant a mistake",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async (file) => {
        if (resolve(file.path) !== path) return undefined;
        planted();
        return { contents: mutated(mutation, await readFile(path, "utf8")), loader: "ts" };
      });
    },
  };
}
