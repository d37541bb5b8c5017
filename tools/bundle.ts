import { chmodSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly dependencies: object };
/** What stays outside of a bundle: packages of others. Ours are part of the program. */
export const external = Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]);

interface BundleOptions {
  /** Whether a source map is written beside each file, as `<file>.map`. */
  readonly sourcemap?: boolean;
}

/** Bundles the program, so that it starts fast and a package needs no compiler. Tells which source is in which file. */
export async function bundle(outfile: string, options: BundleOptions = {}): Promise<Metafile> {
  const metafile = await bundleProgram("packages/quota/src/main.ts", outfile, options);
  chmodSync(outfile, 0o755);
  return metafile;
}

/**
 * Bundles a program: one file, further ones beside it (`<program>-*.js`) for code that is imported on demand, and last the
 * thread that writes to the disk.
 */
export async function bundleProgram(program: string, outfile: string, options: BundleOptions = {}): Promise<Metafile> {
  const metafile = await bundleFile(program, outfile, options);
  removeOldChunks(outfile, metafile);
  const thread = join(dirname(outfile), "sqlite-worker.js");
  await bundleFile("packages/apiserver/src/storage/log/sqlite-worker.ts", thread, options);
  return metafile;
}

async function bundleFile(entry: string, outfile: string, { sourcemap = false }: BundleOptions): Promise<Metafile> {
  const name = basename(outfile, ".js");
  const { metafile } = await build({
    entryPoints: [{ in: entry, out: name }],
    outdir: dirname(outfile),
    chunkNames: `${name}-[name]-[hash]`,
    bundle: true,
    splitting: true,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external,
    legalComments: "none",
    sourcemap: sourcemap ? "external" : false,
  });
  return metafile;
}

/** The name of a chunk changes with its content, so a build does not overwrite all of the one before. */
function removeOldChunks(outfile: string, { outputs }: Metafile): void {
  const folder = dirname(outfile);
  const written = new Set(Object.keys(outputs).map((file) => basename(file)));
  const prefix = `${basename(outfile, ".js")}-`;
  for (const file of readdirSync(folder)) {
    const isChunk = file.startsWith(prefix) && /\.js(\.map)?$/.test(file);
    if (isChunk && !written.has(file)) rmSync(join(folder, file));
  }
}
