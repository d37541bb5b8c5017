import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

/** Puts the program into one file, so that it starts fast and a package needs no compiler. */
export async function bundle(outfile: string): Promise<void> {
  await bundleProgram("src/main.ts", outfile, "#!/usr/bin/env node");
  chmodSync(outfile, 0o755);
}

/** One file for a program, and beside it one for the thread that writes to the disk. */
export async function bundleProgram(program: string, outfile: string, banner = ""): Promise<void> {
  await bundleFile(program, outfile, banner);
  await bundleFile("src/apiserver/storage/sqlite-worker.ts", join(dirname(outfile), "sqlite-worker.js"), "");
}

async function bundleFile(entry: string, outfile: string, banner: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    banner: { js: banner },
    legalComments: "none",
  });
}
