import type { ObjectKey } from "../object-key.ts";

/** One version of one object in the log. The latest record of a key is its state. */
export interface LogRecord {
  readonly revision: number;
  readonly key: ObjectKey;
  /** Whether this revision deleted the object; the text is its last state. */
  readonly deleted: boolean;
  readonly text: string;
  /** Whether the next record belongs to the same transaction: readers see both or neither. */
  readonly more: boolean;
}

export interface LoadedLog {
  /** History up to and including this revision may be missing from the log. */
  readonly compacted: number;
  /** All records in order of revision, in pages. */
  readonly pages: AsyncIterable<readonly LogRecord[]>;
}

/** Makes a store durable. The store calls one method at a time, `load` first and once. */
export interface RecordLog {
  /** Location of the records, for messages. */
  readonly location: string;

  load(): Promise<LoadedLog>;

  /** Resolves when concurrent writers have added their writes, so that they share one `append`. */
  gatherWrites(): Promise<void>;

  /**
   * Resolves once all records are durable. Rejects with LogFull when certainly none was written. `usesReserve`: may use the
   * space that is kept free for removals.
   */
  append(records: readonly LogRecord[], usesReserve?: boolean): Promise<void>;

  /** Called after `load` and after LogFull: whether there is space for all writes. Sets space aside for removals. */
  hasRoom(): Promise<boolean>;

  /** Stores the compacted revision and deletes the records with these revisions, atomically. */
  compact(compacted: number, obsolete: readonly number[]): Promise<void>;

  close(): Promise<void>;
}

/** There is no space. Nothing was written, and the operation may be retried. */
export class LogFull extends Error {
  override readonly name = "LogFull";
}

/** The log is corrupt. Nothing is served from it, and nothing in it was changed. */
export class LogDamaged extends Error {
  override readonly name = "LogDamaged";

  constructor(location: string, problem: string) {
    super(
      `${location} is damaged: ${problem}. Nothing was changed. Restore it from a backup, or move it away to start empty`,
    );
  }
}

/** The revision of an empty log, as in etcd: for clients 0 means "any revision". */
export const firstRevision = 1;
