import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import Database from "libsql";
import { makePrivateDirectory } from "../private-directory.ts";
import { reserveName } from "./disk-reserve.ts";
import { headChecksum } from "./record-checksum.ts";
import { firstRevision } from "./record-log.ts";
import { DatabaseDamaged, sqliteCode } from "./sqlite-errors.ts";
import type { SqliteOptions } from "./sqlite-messages.ts";

/** Identifies our files; the bytes spell "Milo". */
const applicationId = 0x4d696c6f;
/** Since version 2, the column `deleted` also says whether the next record is of the same transaction. */
export const formatVersion = 2;
/** These formats only lack that flag. */
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

/** Opens the database exclusively, creates it if missing, and verifies it. */
export function openDatabase(path: string, { directory, pagesMax }: SqliteOptions): OpenDatabase {
  makeDirectory(directory);
  checkFiles(path, directory);
  makePrivate(path);
  const db = new Database(path);
  try {
    lock(db, directory);
    if (scalar(db, "PRAGMA application_id") === 0) create(db);
    const { compacted, format } = check(db, path);
    if (pagesMax !== undefined) db.pragma(`max_page_count = ${pagesMax}`);
    writePidFile(directory);
    return { db, compacted, format };
  } catch (error) {
    db.close();
    // SQLITE_ERROR is about tables and columns, which means a wrong schema.
    throw sqliteCode(error) === "SQLITE_ERROR" ? new DatabaseDamaged((error as Error).message) : error;
  }
}

/** The file contains secrets; SQLite's auxiliary files get the same permissions. */
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

/** A new directory must survive a power failure. */
function makeDirectory(directory: string): void {
  if (!makePrivateDirectory(directory)) return;
  const parent = openSync(dirname(resolve(directory)), "r");
  fsyncSync(parent);
  closeSync(parent);
}

/** Files that are created after the database. */
const laterFiles = [reserveName, "kubeconfig"];

/** Cases that SQLite would take for an empty database, or for a reason to discard its write-ahead log. */
function checkFiles(path: string, directory: string): void {
  const size = sizeOf(path);
  if (size === 0 && sizeOf(`${path}-wal`) > 0) {
    throw new DatabaseDamaged("it is empty, but its write-ahead log is not");
  }
  const left = size > 0 ? [] : laterFiles.filter((name) => existsSync(join(directory, name)));
  if (left.length > 0) throw new Error(missingText(path, directory, left.join(" and ")));
  if (size > 0 && readHead(path) !== "SQLite format 3\0") throw new DatabaseDamaged("it is not an SQLite database");
}

function missingText(path: string, directory: string, left: string): string {
  const advice = "restore the directory from a backup, or remove it to start empty";
  return `${path} is missing, but ${directory} has ${left} of an earlier start: ${advice}`;
}

/** From the first read on, the lock is held until the database is closed or the process ends. */
function lock(db: Database.Database, directory: string): void {
  try {
    db.pragma("locking_mode = EXCLUSIVE");
    checkOwner(db);
    setPragma(db, "journal_mode", "wal");
    setPragma(db, "synchronous", 2); // FULL: a commit waits for the disk
    setPragma(db, "wal_autocheckpoint", 0); // its failures would look like those of commits
    db.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    if (sqliteCode(error).startsWith("SQLITE_BUSY")) throw new Error(inUseText(directory));
    throw error;
  }
}

/** SQLite silently ignores settings that it cannot apply. */
function setPragma(db: Database.Database, setting: string, value: string | number): void {
  db.pragma(`${setting} = ${value}`);
  const got = scalar(db, `PRAGMA ${setting}`);
  if (got !== value) throw new Error(`SQLite setting ${setting} is ${got}, but must be ${value}`);
}

/**
 * For the error message of another process that finds the directory in use. Optional: a full disk can still be read.
 */
function writePidFile(directory: string): void {
  try {
    writeFileSync(pidPath(directory), `${process.pid}\n`);
  } catch {
    rmSync(pidPath(directory), { force: true });
  }
}

function inUseText(directory: string): string {
  const path = pidPath(directory);
  const pid = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  return `the data directory ${directory} is already in use${pid === "" ? "" : ` by process ${pid}`}`;
}

/** Before anything is written: a database of another program is left alone. */
function checkOwner(db: Database.Database): void {
  const owner = scalar(db, "PRAGMA application_id");
  const isEmpty = scalar(db, "SELECT count(*) FROM sqlite_master") === 0;
  if (owner === applicationId || (isEmpty && owner === 0)) return;
  throw new DatabaseDamaged("it belongs to another program");
}

function check(db: Database.Database, path: string): Pick<OpenDatabase, "compacted" | "format"> {
  const rows = db.prepare("SELECT format, compacted, checksum FROM head").raw().all();
  const [format, compacted, checksum] = (rows[0] ?? []) as readonly number[];
  if (format === undefined || compacted === undefined) throw new DatabaseDamaged("its format is missing");
  if (format !== formatVersion && !olderFormats.includes(format)) throw new Error(otherFormatText(path, format));
  if (checksum !== headChecksum(format, compacted)) {
    throw new DatabaseDamaged("its compaction record does not match its checksum");
  }
  const found = scalar(db, "PRAGMA quick_check(1)");
  if (found !== "ok") throw new DatabaseDamaged(String(found));
  db.prepare("SELECT revision, plane, resource, namespace, name, deleted, text, checksum FROM records LIMIT 1").all();
  return { compacted, format };
}

function otherFormatText(path: string, format: number): string {
  return `${path} has format ${format}, but this program supports format ${formatVersion}: use a newer version`;
}

/** In one transaction: a partially created database would be taken for a corrupt one. */
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
