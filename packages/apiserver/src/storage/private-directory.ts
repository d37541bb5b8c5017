import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a directory, and those above it, for its owner only. Returns whether it is new. The recursive creation of Node
 * never returns where no directory can be created, such as below /proc.
 */
export function makePrivateDirectory(directory: string): boolean {
  const path = resolve(directory);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return false;
  if (found !== undefined) throw notDirectory(path);
  if (dirname(path) !== path) makePrivateDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
  return true;
}

function notDirectory(path: string): Error {
  return Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${path}'`), { code: "ENOTDIR" });
}
