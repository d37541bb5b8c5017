// `npm start`: builds the program if a source has changed and then runs it in this process. npm sends signals to the shell
// that runs the script, and most shells exit without forwarding them, so this process stops when its parent has exited.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "dist/milo-quota.js");
/** The first and the last file that a build writes. */
const built = [program, join(root, "dist/sqlite-worker.js")];
const sources = ["packages", "tools", "package.json", "package-lock.json"].map((path) => join(root, path));

/** Latest modification time of a file or folder. The time of a folder changes when one of its files is deleted. */
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
const pollMs = 200;
if (process.env.npm_lifecycle_event === "start") {
  const poll = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(poll);
    process.kill(process.pid, "SIGTERM");
  }, pollMs);
  poll.unref();
}
process.argv.splice(1, 1, program, "up");
await import(pathToFileURL(program).href);
