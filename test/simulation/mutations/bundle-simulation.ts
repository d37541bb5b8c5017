import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { external } from "../../../tools/bundle.ts";
import { edited, type Mutation } from "./mutation.ts";

const folder = "node_modules/.cache/milo-quota/simulation";

/** Puts the simulator and all it runs into one file, with a mistake in it if one is given. Returns the file. */
export async function bundleSimulation(
  mutation?: Mutation,
  entry = "test/simulation/run-simulation.ts",
): Promise<string> {
  const name = mutation === undefined ? "simulation" : mutation.name.replaceAll(/[^a-z0-9]+/gi, "-");
  const outfile = resolve(join(folder, `${name}-${process.pid}.mjs`));
  const planted = new Set<string>();
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external,
    sourcemap: "inline",
    legalComments: "none",
    logLevel: "error",
    plugins: mutation === undefined ? [] : [planting(mutation, planted)],
  });
  const missed = mutation?.edits.find(({ file }) => !planted.has(file));
  if (missed !== undefined) throw new Error(`"${mutation?.name}": nothing that is simulated reads ${missed.file}`);
  return outfile;
}

function planting({ edits }: Mutation, planted: Set<string>): Plugin {
  return {
    name: "plant a mistake",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const own = edits.filter(({ file }) => resolve(file) === path);
        if (own.length === 0) return undefined;
        for (const { file } of own) planted.add(file);
        const source = await readFile(path, "utf8");
        return { contents: own.reduce((text, edit) => edited(edit, text), source), loader: "ts" };
      });
    },
  };
}
