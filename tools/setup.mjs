// Runs before every npm script, so that a fresh clone needs no setup step. Plain JavaScript, because it runs before the
// dependencies are installed and Node 20 cannot run TypeScript.
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

/** Whether node_modules matches package-lock.json, by npm's own record of what it installed. */
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
  // Output goes to stderr, even with `npm --silent`: the stdout of the script that follows may be piped.
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", process.stderr, process.stderr],
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed; see the message above. Fix the problem and run the command again.");
    process.exit(status ?? 1);
  }
}
