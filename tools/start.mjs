// `npm start`: builds the program if anything has changed since, and is it from then on. npm hands a signal to the shell that
// it runs scripts in, and most shells end by it and tell nobody: who finds the shell gone was meant.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "dist/milo-quota.js");
/** The first and the last file of a build: all others are written between them. */
const built = [program, join(root, "dist/sqlite-worker.js")];
const sources = ["packages", "tools", "package.json", "package-lock.json"].map((path) => join(root, path));

/** Folders change when something in them goes. */
function changedMs(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inside = readdirSync(path).map((name) => changedMs(join(path, name)));
  return Math.max(stat.mtimeMs, ...inside);
}

function isBuilt() {
  if (!built.every(existsSync)) return false;
  const builtMs = Math.min(...built.map((path) => statSync(path).mtimeMs));
  return sources.every((path) => changedMs(path) < builtMs);
}

if (!isBuilt()) {
  const { status } = spawnSync(process.execPath, ["--import", "tsx", join(root, "tools/build.ts")], {
    cwd: root,
    stdio: ["ignore", process.stderr, process.stderr],
  });
  if (status !== 0) process.exit(status ?? 1);
}
const shell = process.ppid;
const lookMs = 200;
if (process.env.npm_lifecycle_event === "start") {
  const look = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(look);
    process.kill(process.pid, "SIGTERM");
  }, lookMs);
  look.unref();
}
process.argv.splice(1, 1, program, "up");
await import(pathToFileURL(program).href);
