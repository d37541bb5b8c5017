import { firstRevision, type LoadedLog, type LogRecord, type RecordLog } from "./record-log.ts";

/** How long it waits for writes to come together: for one step, or for a turn, as a log on a disk does. */
type Gathering = "step" | "turn";

/** Keeps records as long as the process lives; a second store can be opened on it after the first is closed. */
export class MemoryLog implements RecordLog {
  readonly place = "memory";
  readonly #records = new Map<number, LogRecord>();
  readonly #gathers: Gathering;
  #compacted = firstRevision;

  constructor(gathers: Gathering = "step") {
    this.#gathers = gathers;
  }

  async load(): Promise<LoadedLog> {
    return { compacted: this.#compacted, pages: onePage([...this.#records.values()]) };
  }

  async gathered(): Promise<void> {
    if (this.#gathers === "turn") await new Promise((resolve) => setImmediate(resolve));
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
