import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import Database from "libsql";
import type { Body } from "../../apiserver/test-server.ts";

const folder = "test/embedded/recorded-data";
const suffix = ".br";
/** The program recreates all other files. The certificate authority must not be recorded: it expires after ten years. */
const recordedFiles = ["objects.db", "objects.db-wal"];
/** The write-ahead log repeats pages at a distance, which only the largest window covers. */
const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };

/** A stored object with its control plane. */
export interface PlaneObject {
  readonly plane: string;
  readonly resource: string;
  readonly object: Body;
}

/** Names of all recordings. */
export function recordings(): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Returns the size of the recording in bytes. */
export function pack(directory: string, name: string): number {
  const target = join(folder, name);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const sizes = recordedFiles.map((file) => {
    const compressed = brotliCompressSync(readFileSync(join(directory, file)), { params });
    writeFileSync(join(target, `${file}${suffix}`), compressed);
    return compressed.length;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

export function unpack(name: string, directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const file of recordedFiles) {
    const compressed = readFileSync(join(folder, name, `${file}${suffix}`));
    writeFileSync(join(directory, file), brotliDecompressSync(compressed));
  }
}

/** All stored objects of a data folder that no process uses. */
export function storedObjects(directory: string): readonly PlaneObject[] {
  // Opening a database changes its write-ahead log, so a copy is read.
  const copy = mkdtempSync(join(tmpdir(), "milo-quota-read-"));
  for (const file of recordedFiles) writeFileSync(join(copy, file), readFileSync(join(directory, file)));
  const db = new Database(join(copy, "objects.db"));
  try {
    const newest = db.prepare(
      `SELECT plane, resource, text FROM records WHERE deleted = 0 AND revision IN
        (SELECT max(revision) FROM records GROUP BY plane, resource, namespace, name) ORDER BY revision`,
    );
    const rows = newest.all() as readonly { plane: string; resource: string; text: string }[];
    return rows.map(({ plane, resource, text }) => ({ plane, resource, object: JSON.parse(text) }));
  } finally {
    db.close();
    rmSync(copy, { recursive: true, force: true });
  }
}
