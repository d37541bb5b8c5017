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

const mainFile = "packages/quota/src/main.ts";
/** Programs of threads that ours start, by their names in the folder of the bundle. */
const serverThread = { "server-thread": "packages/quota/src/server-thread.ts" };
const diskThread = { "sqlite-worker": "packages/apiserver/src/storage/log/sqlite-worker.ts" };

/** Bundles the program, so that it starts fast and a package needs no compiler. Tells which source is in which file. */
export async function bundle(outfile: string, options: BundleOptions = {}): Promise<Metafile> {
  const metafile = await bundleProgram(mainFile, outfile, options);
  chmodSync(outfile, 0o755);
  return metafile;
}

/** Bundles a program: one file, chunks beside it (`<program>-*.js`), and threads, the one that writes to the disk last. */
export async function bundleProgram(program: string, outfile: string, options: BundleOptions = {}): Promise<Metafile> {
  const threads = program === mainFile ? serverThread : {};
  const metafile = await bundleFiles({ [nameOf(outfile)]: program, ...threads }, outfile, options);
  removeOldChunks(outfile, metafile);
  await bundleFiles(diskThread, outfile, options);
  return metafile;
}

/** Programs that share chunks, named for the first of them. */
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

/** The name of a chunk changes with its content, so a build does not overwrite all of the one before. */
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
