import type { Reply } from "./sqlite-messages.ts";

/** The database is not one that can be served from. */
export class DatabaseDamaged extends Error {
  override readonly name = "DatabaseDamaged";
}

/** No room on the disk or under the limit, and it is certain that nothing was written. */
export class DatabaseFull extends Error {
  override readonly name = "DatabaseFull";
}

/** What the owner of the log hears of an error. */
export function failureOf(error: unknown): Extract<Reply, { readonly message: string }> {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DatabaseFull) return { reply: "full", message };
  return { reply: isDamage(error) ? "damaged" : "failed", message };
}

function isDamage(error: unknown): boolean {
  return error instanceof DatabaseDamaged || /^SQLITE_(CORRUPT|NOTADB)/.test(sqliteCode(error));
}

/** SQLite's name of an error, such as SQLITE_FULL or SQLITE_IOERR_FSYNC. */
export function sqliteCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
