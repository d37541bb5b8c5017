import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { external } from "../../../tools/bundle.ts";
import { applyEdit, type Mutation } from "./mutation.ts";

const folder = "node_modules/.cache/milo-quota/simulation";

/** Bundles the simulator and the product into one file, with a mutation if one is given. Returns the file. */
export async function bundleSimulation(
  mutation?: Mutation,
  entry = "test/simulation/run-simulation.ts",
): Promise<string> {
  const name = mutation === undefined ? "simulation" : mutation.name.replaceAll(/[^a-z0-9]+/gi, "-");
  const outfile = resolve(join(folder, `${name}-${process.pid}.mjs`));
  const applied = new Set<string>();
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
    plugins: mutation === undefined ? [] : [mutationPlugin(mutation, applied)],
  });
  const missed = mutation?.edits.find(({ file }) => !applied.has(file));
  if (missed !== undefined) throw new Error(`"${mutation?.name}": ${missed.file} is not part of the bundle`);
  return outfile;
}

function mutationPlugin({ edits }: Mutation, applied: Set<string>): Plugin {
  return {
    name: "apply mutation",
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const own = edits.filter(({ file }) => resolve(file) === path);
        if (own.length === 0) return undefined;
        for (const { file } of own) applied.add(file);
        const source = await readFile(path, "utf8");
        return { contents: own.reduce((text, edit) => applyEdit(edit, text), source), loader: "ts" };
      });
    },
  };
}
