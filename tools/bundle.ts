import { chmodSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly dependencies: object };
/** What stays outside of a bundle: packages of others. Ours are part of the program. */
export const external = Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]);

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
  await bundleProgram("packages/quota/src/main.ts", outfile, { banner: "#!/usr/bin/env node", sourcemap });
  chmodSync(outfile, 0o755);
}

/** One file for a program, and beside it one for the thread that writes to the disk. */
export async function bundleProgram(program: string, outfile: string, options: BundleOptions = {}): Promise<void> {
  const { sourcemap = false } = options;
  await bundleFile(program, outfile, options);
  await bundleFile("packages/apiserver/src/storage/log/sqlite-worker.ts", join(dirname(outfile), "sqlite-worker.js"), {
    sourcemap,
  });
}

async function bundleFile(entry: string, outfile: string, { banner = "", sourcemap = false }: BundleOptions) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external,
    banner: { js: banner },
    legalComments: "none",
    sourcemap: sourcemap ? "external" : false,
  });
}
