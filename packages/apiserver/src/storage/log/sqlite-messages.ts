import { join } from "node:path";
import type { LogRecord } from "./record-log.ts";

export interface SqliteOptions {
  /** Where the database is; made when it is not there. */
  readonly directory: string;
  /** The largest size of the database, in pages of 4 KiB; SQLite's own limit when left out. */
  readonly pagesMax?: number;
}

export function databasePath(directory: string): string {
  return join(directory, "objects.db");
}

/** What the thread that owns the database is asked for, one thing at a time. */
export type Request =
  | { readonly ask: "open" }
  | { readonly ask: "page" }
  | { readonly ask: "append"; readonly records: readonly LogRecord[] }
  | { readonly ask: "compact"; readonly compacted: number; readonly obsolete: readonly number[] }
  | { readonly ask: "close" };

export type Reply =
  | { readonly reply: "done" }
  | { readonly reply: "opened"; readonly compacted: number }
  /** The next records; none at the end. */
  | { readonly reply: "page"; readonly records: readonly LogRecord[] }
  /** Full: certainly nothing happened. Damaged: `message` says what is wrong. Failed: anything may have happened. */
  | { readonly reply: "full" | "damaged" | "failed"; readonly message: string };
