import { chmodSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";

const { dependencies } = JSON.parse(readFileSync("package.json", "utf8")) as { readonly dependencies: object };
/** Third-party packages stay outside of a bundle. */
export const external = Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]);

interface BundleOptions {
  /** Whether to write a source map for each file, as `<file>.map`. */
  readonly sourcemap?: boolean;
}

const mainFile = "packages/quota/src/main.ts";
/** Entry points of worker threads, by their names in the output folder. */
const serverThread = { "server-thread": "packages/quota/src/server-thread.ts" };
const diskThread = { "sqlite-worker": "packages/apiserver/src/storage/log/sqlite-worker.ts" };

/** Bundles the program, so that it starts fast and needs no compiler. Returns which source is in which file. */
export async function bundle(outfile: string, options: BundleOptions = {}): Promise<Metafile> {
  const metafile = await bundleProgram(mainFile, outfile, options);
  chmodSync(outfile, 0o755);
  return metafile;
}

/** Bundles a program into one file, its chunks (`<program>-*.js`) and its worker threads; writes the disk thread last. */
export async function bundleProgram(program: string, outfile: string, options: BundleOptions = {}): Promise<Metafile> {
  const threads = program === mainFile ? serverThread : {};
  const metafile = await bundleFiles({ [nameOf(outfile)]: program, ...threads }, outfile, options);
  removeOldChunks(outfile, metafile);
  await bundleFiles(diskThread, outfile, options);
  return metafile;
}

/** Bundles entry points that share chunks. The chunks are named after the first one. */
async function bundleFiles(
  entryPoints: Readonly<Record<string, string>>,
  outfile: string,
  { sourcemap = false }: BundleOptions,
): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints,
    outdir: dirname(outfile),
    chunkNames: `${nameOf(outfile)}-[name]-[hash]`,
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

/** Chunk names contain a hash of their content, so a build does not overwrite all chunks of the previous one. */
function removeOldChunks(outfile: string, { outputs }: Metafile): void {
  const folder = dirname(outfile);
  const written = new Set(Object.keys(outputs).map((file) => basename(file)));
  const prefix = `${nameOf(outfile)}-`;
  for (const file of readdirSync(folder)) {
    const isChunk = file.startsWith(prefix) && /\.js(\.map)?$/.test(file);
    if (isChunk && !written.has(file)) rmSync(join(folder, file));
  }
}

function nameOf(outfile: string): string {
  return basename(outfile, ".js");
}
