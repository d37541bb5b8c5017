import { chmodSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

/** How a program is put into one file. */
interface BundleOptions {
  readonly banner?: string;
  /** Whether a source map is written beside each file, as `<file>.map`. */
  readonly sourcemap?: boolean;
}

/** Puts the program into one file, so that it starts fast and a package needs no compiler. */
export async function bundle(
  outfile: string,
  { sourcemap = false }: Pick<BundleOptions, "sourcemap"> = {},
): Promise<void> {
  await bundleProgram("src/main.ts", outfile, { banner: "#!/usr/bin/env node", sourcemap });
  chmodSync(outfile, 0o755);
}

/** One file for a program, and beside it one for the thread that writes to the disk. */
export async function bundleProgram(program: string, outfile: string, options: BundleOptions = {}): Promise<void> {
  const { sourcemap = false } = options;
  await bundleFile(program, outfile, options);
  await bundleFile("src/apiserver/storage/sqlite-worker.ts", join(dirname(outfile), "sqlite-worker.js"), { sourcemap });
}

async function bundleFile(entry: string, outfile: string, { banner = "", sourcemap = false }: BundleOptions) {
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
    sourcemap: sourcemap ? "external" : false,
  });
}
