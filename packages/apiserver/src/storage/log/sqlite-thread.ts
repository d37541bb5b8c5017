import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { SqliteOptions } from "./sqlite-messages.ts";

let compiled: string | undefined;

/**
 * Starts the thread that owns a database. Its program is a file next to the bundle; when run from source, it is built
 * first.
 */
export function startThread(workerData: SqliteOptions): Worker {
  if (!import.meta.url.endsWith(".ts")) {
    return new Worker(new URL("./sqlite-worker.js", import.meta.url), { workerData });
  }
  compiled ??= compile(fileURLToPath(new URL("./sqlite-worker.ts", import.meta.url)));
  return new Worker(compiled, { workerData, eval: true });
}

/** Resolves packages relative to this file, because a program given as text has no path. */
function compile(program: string): string {
  const require = createRequire(import.meta.url);
  const { buildSync } = require("esbuild") as typeof import("esbuild");
  const { outputFiles } = buildSync({
    entryPoints: [program],
    bundle: true,
    write: false,
    platform: "node",
    external: ["libsql"],
    banner: { js: `globalThis.require = require("node:module").createRequire(${JSON.stringify(import.meta.url)});` },
  });
  return outputFiles.map(({ text }) => text).join("");
}
