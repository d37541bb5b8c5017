import { join } from "node:path";
import type { LogRecord } from "./record-log.ts";

export interface SqliteOptions {
  /** Directory of the database; created if missing. */
  readonly directory: string;
  /** Size limit of the database, in pages of 4 KiB; SQLite's own limit when left out. */
  readonly pagesMax?: number;
}

export function databasePath(directory: string): string {
  return join(directory, "objects.db");
}

/** Requests to the thread that owns the database, one at a time. */
export type Request =
  | { readonly ask: "open" }
  | { readonly ask: "page" }
  | { readonly ask: "append"; readonly records: readonly LogRecord[]; readonly usesReserve: boolean }
  | { readonly ask: "room" }
  | { readonly ask: "compact"; readonly compacted: number; readonly obsolete: readonly number[] }
  | { readonly ask: "close" };

export type Reply =
  | { readonly reply: "done" }
  | { readonly reply: "opened"; readonly compacted: number }
  | { readonly reply: "room"; readonly hasRoom: boolean }
  /** The next records; empty at the end. */
  | { readonly reply: "page"; readonly records: readonly LogRecord[] }
  /**
   * Full: certainly nothing was written. Damaged: `message` says what is wrong. Failed: the outcome is unknown. `code` is
   * that of the operating system or of SQLite, or empty.
   */
  | { readonly reply: "full" | "damaged" | "failed"; readonly message: string; readonly code: string };
