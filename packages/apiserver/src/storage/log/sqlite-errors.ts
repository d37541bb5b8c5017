import type { Reply } from "./sqlite-messages.ts";

/** The database is corrupt or not ours. */
export class DatabaseDamaged extends Error {
  override readonly name = "DatabaseDamaged";
}

/** No space on the disk or under the limit, and certainly nothing was written. */
export class DatabaseFull extends Error {
  override readonly name = "DatabaseFull";

  /** The text is SQLite's. */
  constructor() {
    super("database or disk is full");
  }
}

/** The reply to the log's owner for an error. */
export function failureOf(error: unknown): Extract<Reply, { readonly message: string }> {
  const message = error instanceof Error ? error.message : String(error);
  const code = sqliteCode(error);
  if (error instanceof DatabaseFull) return { reply: "full", message, code };
  return { reply: isDamage(error) ? "damaged" : "failed", message, code };
}

function isDamage(error: unknown): boolean {
  return error instanceof DatabaseDamaged || /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error));
}

/** SQLite's error name, such as SQLITE_FULL or SQLITE_IOERR_FSYNC, or that of the operating system. */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
