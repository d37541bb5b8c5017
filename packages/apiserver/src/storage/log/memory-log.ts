import { firstRevision, type LoadedLog, type LogRecord, type RecordLog } from "./record-log.ts";

/** How long writes are gathered into a batch: for a microtask, or for a turn of the event loop like a log on disk. */
type Gathering = "step" | "turn";

/** Keeps records in memory; another store can be opened on it after the first is closed. */
export class MemoryLog implements RecordLog {
  readonly location = "memory";
  readonly #records = new Map<number, LogRecord>();
  readonly #gathers: Gathering;
  #compacted = firstRevision;

  constructor(gathers: Gathering = "step") {
    this.#gathers = gathers;
  }

  async load(): Promise<LoadedLog> {
    return { compacted: this.#compacted, pages: onePage([...this.#records.values()]) };
  }

  async gatherWrites(): Promise<void> {
    if (this.#gathers === "turn") await new Promise((resolve) => setImmediate(resolve));
  }

  async append(records: readonly LogRecord[]): Promise<void> {
    await Promise.resolve();
    for (const record of records) this.#records.set(record.revision, record);
  }

  async hasRoom(): Promise<boolean> {
    await Promise.resolve();
    return true;
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
