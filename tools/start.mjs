// `npm start`: builds the program, and is it from then on. npm hands a signal to the shell that it runs scripts in, and most
// shells end by it and tell nobody: who finds the shell gone was meant.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const program = join(root, "dist/milo-quota.js");
const { status } = spawnSync(process.execPath, ["--import", "tsx", join(root, "tools/build.ts")], {
  cwd: root,
  stdio: ["ignore", process.stderr, process.stderr],
});
if (status !== 0) process.exit(status ?? 1);
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
