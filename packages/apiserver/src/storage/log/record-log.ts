import type { ObjectKey } from "../object-key.ts";

/** One version of one object as the log keeps it. The newest record of a key is its state. */
export interface LogRecord {
  readonly revision: number;
  readonly key: ObjectKey;
  /** Whether the object is gone since this revision; the text is its last state. */
  readonly deleted: boolean;
  readonly text: string;
  /** Whether the next record is of the same transaction: no reader sees the one without the other. */
  readonly more: boolean;
}

export interface LoadedLog {
  /** History up to here, this revision included, may be gone from the log. */
  readonly compacted: number;
  /** All records in order of revision, some at a time. */
  readonly pages: AsyncIterable<readonly LogRecord[]>;
}

/** What makes a store durable. Its user calls one method at a time, `load` first and once. */
export interface RecordLog {
  /** Where records are kept, for messages. */
  readonly place: string;

  load(): Promise<LoadedLog>;

  /** Resolves when whoever is about to write has written: they share one `append`. */
  gathered(): Promise<void>;

  /** Resolves once all records are durable. Rejects with LogFull when certainly none of them is there. */
  append(records: readonly LogRecord[]): Promise<void>;

  /** Remembers the compacted revision and forgets the records with these revisions: both or neither. */
  compact(compacted: number, obsolete: readonly number[]): Promise<void>;

  close(): Promise<void>;
}

/** There is no room. Nothing of what was asked for happened, and it may be tried again. */
export class LogFull extends Error {
  override readonly name = "LogFull";
}

/** What the log holds is not what was put there. Nothing is served from it, and nothing in it was changed. */
export class LogDamaged extends Error {
  override readonly name = "LogDamaged";

  constructor(place: string, wrong: string) {
    super(
      `${place} is damaged: ${wrong}. Nothing was changed. Restore it from a backup, or move it away to start empty`,
    );
  }
}

/** The revision of a log that nothing was written to, as etcd has it: clients take 0 for "any revision". */
export const firstRevision = 1;
