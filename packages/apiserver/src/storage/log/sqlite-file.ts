import { rmSync } from "node:fs";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { isJsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type Database from "libsql";
import { DiskRoom } from "./disk-room.ts";
import { checksumOf, flagsOf, headChecksum, readFlags } from "./record-checksum.ts";
import type { LogRecord } from "./record-log.ts";
import { DatabaseDamaged, DatabaseFull, sqliteCode } from "./sqlite-errors.ts";
import { databasePath, type SqliteOptions } from "./sqlite-messages.ts";
import { formatVersion, type OpenDatabase, openDatabase, pidPath, scalar } from "./sqlite-open.ts";

const pageRecords = 1_000;
const pageChars = 4 * 1024 * 1024;
/** Approximate size of a transaction besides its texts. */
const transactionChars = 8 * 1024;
/** Records that are compacted at once, however little space the disk has. */
const compactedMin = 16;

export function openSqliteFile(options: SqliteOptions): SqliteFile {
  return new SqliteFile(openDatabase(databasePath(options.directory), options), options.directory);
}

/** The database of a log, in the thread that owns it. */
export class SqliteFile {
  readonly compacted: number;
  readonly #db: Database.Database;
  readonly #directory: string;
  readonly #room: DiskRoom;
  readonly #insert: Database.Statement;
  readonly #delete: Database.Statement;
  readonly #setHead: Database.Statement;
  #rows: Iterator<unknown> | undefined;
  #charsSinceCheckpoint = 0;
  /** Completely read, without a failure since. */
  #isSound = false;
  #format: number;

  constructor({ db, compacted, format }: OpenDatabase, directory: string) {
    this.#db = db;
    this.#directory = directory;
    this.#room = new DiskRoom(db, directory);
    this.#insert = db.prepare("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    this.#delete = db.prepare("DELETE FROM records WHERE revision = ?");
    this.#setHead = db.prepare("UPDATE head SET format = ?, compacted = ?, checksum = ?");
    this.compacted = compacted;
    this.#format = format;
  }

  /** The next records in order of revision, verified; empty at the end. */
  nextPage(): readonly LogRecord[] {
    this.#rows ??= this.#db.prepare("SELECT * FROM records ORDER BY revision").raw().iterate();
    const records: LogRecord[] = [];
    for (let chars = 0; records.length < pageRecords && chars < pageChars; ) {
      const row = this.#rows.next();
      if (row.done) {
        this.#rows = [].values();
        this.#isSound = true;
        break;
      }
      const record = readRow(row.value as readonly unknown[]);
      records.push(record);
      chars += record.text.length;
    }
    return records;
  }

  /** `usesReserve`: the space that is kept free for removals may be used. */
  append(records: readonly LogRecord[], usesReserve = false): void {
    const chars = records.reduce((sum, { text }) => sum + text.length, 0);
    if (usesReserve) this.#appendRemovals(records, chars);
    else if (this.#room.isForAll) this.#append(records, chars);
    else throw new DatabaseFull();
  }

  /** Whether all writes have room, after a checkpoint. Restores the reserve. */
  hasRoom(): boolean {
    return this.#checkpointIfPossible() && this.#room.regain();
  }

  #append(records: readonly LogRecord[], chars: number): void {
    this.#transaction(chars, records[0]?.revision, () => {
      for (const record of records) this.#insert.run(rowOf(record));
      // From the first write on, programs that support only older formats reject the database instead of misreading it.
      if (this.#format !== formatVersion) this.#writeHead(this.compacted);
    });
    this.#format = formatVersion;
  }

  /** Frees pages for later writes, so it may use all space that is left, and does with less in smaller steps. */
  compact(compacted: number, obsolete: readonly number[]): void {
    try {
      this.#compact(compacted, obsolete);
    } catch (error) {
      if (!(error instanceof DatabaseFull)) throw error;
      this.#room.releaseAll();
      this.#checkpointIfPossible();
      this.#compactInSteps(compacted, obsolete);
    }
  }

  #compactInSteps(compacted: number, obsolete: readonly number[]): void {
    const half = Math.ceil(obsolete.length / 2);
    if (obsolete.length <= compactedMin) this.#compact(compacted, obsolete);
    else for (const part of [obsolete.slice(0, half), obsolete.slice(half)]) this.compact(compacted, part);
  }

  #compact(compacted: number, obsolete: readonly number[]): void {
    this.#transaction(obsolete.length * 1024, undefined, () => {
      for (const revision of obsolete) this.#delete.run([revision]);
      this.#writeHead(compacted);
    });
    this.#format = formatVersion;
  }

  #writeHead(compacted: number): void {
    this.#setHead.run([formatVersion, compacted, headChecksum(formatVersion, compacted)]);
  }

  /** Moves the write-ahead log into the database once it is long. */
  checkpointIfLong(): void {
    if (this.#charsSinceCheckpoint < this.#room.checkpointChars) return;
    if (this.#checkpointIfPossible() && !this.#room.isReserveWhole) this.#room.regain();
  }

  /** Without the space for it, the write-ahead log goes on growing. */
  #checkpointIfPossible(): boolean {
    if (!this.#room.hasSpaceForCheckpoint()) return false;
    try {
      this.#checkpoint("PASSIVE");
    } catch (error) {
      if (!(error instanceof DatabaseFull)) throw error;
      this.#room.onCheckpointFailed();
      return false;
    }
    this.#charsSinceCheckpoint = 0;
    return true;
  }

  #appendRemovals(records: readonly LogRecord[], chars: number): void {
    if (!this.#room.makeRoomForRemoval(chars)) throw new DatabaseFull();
    this.#append(records, chars);
  }

  /** Leaves a single file behind, unless there is no space: data in the write-ahead log is durable too. */
  close(): void {
    try {
      if (this.#isSound && this.#room.hasSpaceForCheckpoint()) {
        this.#checkpoint("TRUNCATE");
        this.#room.keep();
      }
    } catch (error) {
      if (!(error instanceof DatabaseFull)) throw error;
    } finally {
      this.#db.close();
      rmSync(pidPath(this.#directory), { force: true });
    }
  }

  #checkpoint(mode: "PASSIVE" | "TRUNCATE"): void {
    try {
      this.#db.pragma(`wal_checkpoint(${mode})`);
    } catch (error) {
      throw sqliteCode(error) === "SQLITE_FULL" ? new DatabaseFull() : error;
    }
  }

  #transaction(chars: number, first: number | undefined, work: () => void): void {
    try {
      this.#db.exec("BEGIN IMMEDIATE");
      work();
      this.#db.exec("COMMIT");
      this.#charsSinceCheckpoint += chars + transactionChars;
    } catch (error) {
      const isFull = sqliteCode(error) === "SQLITE_FULL" && this.#isRolledBack(first);
      this.#isSound = isFull;
      this.#charsSinceCheckpoint = this.#room.checkpointChars; // a checkpoint may free space
      throw isFull ? new DatabaseFull() : error;
    }
  }

  /** Rolls back a failed transaction, and checks that nothing of it is left. */
  #isRolledBack(first: number | undefined): boolean {
    if (this.#db.inTransaction) this.#db.exec("ROLLBACK");
    const left = first === undefined ? 0 : scalar(this.#db, `SELECT count(*) FROM records WHERE revision >= ${first}`);
    return left === 0 && !this.#db.inTransaction;
  }
}

function rowOf(record: LogRecord): readonly unknown[] {
  const { plane, resource, namespace, name } = record.key;
  return [record.revision, plane, resource, namespace, name, flagsOf(record), record.text, checksumOf(record)];
}

function readRow(row: readonly unknown[]): LogRecord {
  const [revision, plane, resource, namespace, name, flags, text, checksum] = row as readonly [
    number,
    string,
    string,
    string,
    string,
    number,
    string,
    number,
  ];
  const { deleted, more } = readFlags(flags);
  const record = { revision, key: { plane, resource, namespace, name }, deleted, text, more };
  if (checksumOf(record) !== checksum) throw new DatabaseDamaged(`${recordText(record)} does not match its checksum`);
  if (!isObjectText(text)) throw new DatabaseDamaged(`${recordText(record)} is not the JSON of an object`);
  return record;
}

function recordText({ revision, key }: LogRecord): string {
  return `revision ${revision} (${key.resource} ${key.namespace === "" ? "" : `${key.namespace}/`}${key.name})`;
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(readJson(text));
  } catch {
    return false;
  }
}
