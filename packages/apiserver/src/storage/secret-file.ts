import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePrivateDirectory } from "./private-directory.ts";

/** Loads a small secret from the data directory, or creates and stores it. */
export function loadOrCreateSecret(directory: string, name: string, make: () => string): string {
  const path = join(directory, name);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const text = make();
  writePrivateFile(path, text);
  return text;
}

/** Private to its owner, and written atomically. On a full disk nothing is left behind. */
export function writePrivateFile(path: string, text: string): void {
  makePrivateDirectory(dirname(path));
  const unfinished = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}
