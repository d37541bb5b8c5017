// Runs before every other script, so that a fresh clone needs no step of its own. Plain JavaScript on purpose:
// it runs before anything is installed, and Node 20 runs no TypeScript.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Milo Quota needs Node.js 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Whether node_modules holds what package-lock.json asks for, by npm's own record of what it installed. */
function installed() {
  if (!existsSync(join(root, "node_modules/.package-lock.json"))) return false;
  const wanted = readJson("package-lock.json").packages;
  const present = readJson("node_modules/.package-lock.json").packages;
  return Object.entries(wanted).every(
    ([path, entry]) => path === "" || entry.optional || present[path]?.version === entry.version,
  );
}

if (!installed()) {
  console.error("Installing dependencies (npm ci) ...");
  // Its output goes to where errors go, and is heard even when npm was told to be silent: what follows may be piped.
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", process.stderr, process.stderr],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed; its message is above. Fix that, then run the same command again.");
    process.exit(status ?? 1);
  }
}
