import { firstRevision, type LoadedLog, type LogRecord, type RecordLog } from "./record-log.ts";

/** Keeps records as long as the process lives; a second store can be opened on it after the first is closed. */
export class MemoryLog implements RecordLog {
  readonly place = "memory";
  readonly #records = new Map<number, LogRecord>();
  #compacted = firstRevision;

  async load(): Promise<LoadedLog> {
    return { compacted: this.#compacted, pages: onePage([...this.#records.values()]) };
  }

  async gathered(): Promise<void> {
    await Promise.resolve();
  }

  async append(records: readonly LogRecord[]): Promise<void> {
    await Promise.resolve();
    for (const record of records) this.#records.set(record.revision, record);
  }

  async compact(compacted: number, obsolete: readonly number[]): Promise<void> {
    await Promise.resolve();
    this.#compacted = compacted;
    for (const revision of obsolete) this.#records.delete(revision);
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}

async function* onePage(records: readonly LogRecord[]): AsyncGenerator<readonly LogRecord[]> {
  yield records;
}
