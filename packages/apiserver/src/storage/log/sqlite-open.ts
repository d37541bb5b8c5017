import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import Database from "libsql";
import { headChecksum } from "./record-checksum.ts";
import { firstRevision } from "./record-log.ts";
import { DatabaseDamaged, sqliteCode } from "./sqlite-failure.ts";
import type { SqliteOptions } from "./sqlite-messages.ts";

/** Marks a file as ours; the bytes spell "Milo". */
const applicationId = 0x4d696c6f;
/** Since 2, the column `deleted` also says whether the next record is of the same transaction. */
export const formatVersion = 2;
/** All that is different in these is that they have no such record. */
const olderFormats: readonly number[] = [1];

const tables = `
  CREATE TABLE head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    format INTEGER NOT NULL,
    compacted INTEGER NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE records (
    revision INTEGER PRIMARY KEY,
    plane TEXT NOT NULL,
    resource TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    deleted INTEGER NOT NULL,
    text TEXT NOT NULL,
    checksum INTEGER NOT NULL
  ) STRICT;`;

export interface OpenDatabase {
  readonly db: Database.Database;
  readonly compacted: number;
  readonly format: number;
}

/** Opens the database for this process alone, makes it when there is none, and checks that it is whole. */
export function openDatabase(path: string, { directory, pagesMax }: SqliteOptions): OpenDatabase {
  makeDirectory(directory);
  checkFiles(path);
  makePrivate(path);
  const db = new Database(path);
  try {
    lock(db, directory);
    if (scalar(db, "PRAGMA application_id") === 0) create(db);
    const { compacted, format } = check(db, path);
    if (pagesMax !== undefined) db.pragma(`max_page_count = ${pagesMax}`);
    tellPid(directory);
    return { db, compacted, format };
  } catch (error) {
    db.close();
    // SQLite's plainest error is about tables and columns, which are ours.
    throw sqliteCode(error) === "SQLITE_ERROR" ? new DatabaseDamaged((error as Error).message) : error;
  }
}

/** Everything is in this file, secrets among it; what SQLite puts beside it gets the same rights. */
function makePrivate(path: string): void {
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}

export function pidPath(directory: string): string {
  return join(directory, "pid");
}

/** The first value of the first row. */
export function scalar(db: Database.Database, sql: string): unknown {
  const rows = db.prepare(sql).raw().all() as readonly (readonly unknown[])[];
  return rows[0]?.[0];
}

/** A directory that was just made must itself outlive a power failure. */
function makeDirectory(directory: string): void {
  if (mkdirSync(directory, { recursive: true, mode: 0o700 }) === undefined) return;
  const parent = openSync(dirname(resolve(directory)), "r");
  fsyncSync(parent);
  closeSync(parent);
}

/** What SQLite would take for an empty database, or for a reason to throw away its write-ahead log. */
function checkFiles(path: string): void {
  const size = sizeOf(path);
  if (size === 0 && sizeOf(`${path}-wal`) > 0) {
    throw new DatabaseDamaged("it is empty, but its write-ahead log is not");
  }
  if (size > 0 && readHead(path) !== "SQLite format 3\0") throw new DatabaseDamaged("it is no SQLite database");
}

/** From the first read on, the lock is held until the database is closed or the process ends. */
function lock(db: Database.Database, directory: string): void {
  try {
    db.pragma("locking_mode = EXCLUSIVE");
    checkOwner(db);
    demand(db, "journal_mode", "wal");
    demand(db, "synchronous", 2); // FULL: a commit waits for the disk
    demand(db, "wal_autocheckpoint", 0); // its failures would look like those of commits
    db.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    if (sqliteCode(error).startsWith("SQLITE_BUSY")) throw new Error(inUseText(directory));
    throw error;
  }
}

/** SQLite answers a setting it cannot have with silence. */
function demand(db: Database.Database, setting: string, value: string | number): void {
  db.pragma(`${setting} = ${value}`);
  const got = scalar(db, `PRAGMA ${setting}`);
  if (got !== value) throw new Error(`SQLite has ${setting} at ${got}, where ${value} is needed`);
}

/** Others name it when they find the directory in use. A full disk has no room for it, and can still be read. */
function tellPid(directory: string): void {
  try {
    writeFileSync(pidPath(directory), `${process.pid}\n`);
  } catch {
    rmSync(pidPath(directory), { force: true });
  }
}

function inUseText(directory: string): string {
  const path = pidPath(directory);
  const pid = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  return `the data directory ${directory} is in use already${pid === "" ? "" : ` by process ${pid}`}`;
}

/** Before anything is written: a database of another program stays as it is. */
function checkOwner(db: Database.Database): void {
  const owner = scalar(db, "PRAGMA application_id");
  const isEmpty = scalar(db, "SELECT count(*) FROM sqlite_master") === 0;
  if (owner === applicationId || (isEmpty && owner === 0)) return;
  throw new DatabaseDamaged("it is a database of another program");
}

function check(db: Database.Database, path: string): Pick<OpenDatabase, "compacted" | "format"> {
  const rows = db.prepare("SELECT format, compacted, checksum FROM head").raw().all();
  const [format, compacted, checksum] = (rows[0] ?? []) as readonly number[];
  if (format === undefined || compacted === undefined) throw new DatabaseDamaged("it does not say which format it has");
  if (format !== formatVersion && !olderFormats.includes(format)) throw new Error(otherFormatText(path, format));
  if (checksum !== headChecksum(format, compacted)) {
    throw new DatabaseDamaged("the record of its compaction does not match its checksum");
  }
  const found = scalar(db, "PRAGMA quick_check(1)");
  if (found !== "ok") throw new DatabaseDamaged(String(found));
  db.prepare("SELECT revision, plane, resource, namespace, name, deleted, text, checksum FROM records LIMIT 1").all();
  return { compacted, format };
}

function otherFormatText(path: string, format: number): string {
  return `${path} has format ${format}, and this program reads format ${formatVersion}: use a newer program`;
}

/** In one transaction: a half-made database would be taken for a damaged one. */
function create(db: Database.Database): void {
  const checksum = headChecksum(formatVersion, firstRevision);
  db.exec(`BEGIN IMMEDIATE;
    PRAGMA application_id = ${applicationId};
    ${tables}
    INSERT INTO head VALUES (1, ${formatVersion}, ${firstRevision}, ${checksum});
    COMMIT;`);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readHead(path: string): string {
  const file = openSync(path, "r");
  const head = Buffer.alloc(16);
  readSync(file, head);
  closeSync(file);
  return head.toString("latin1");
}
