import { MemoryLog } from "../src/storage/log/memory-log.ts";
import type { LogRecord, RecordLog } from "../src/storage/log/record-log.ts";

interface HeldCall {
  /** The revisions to append, or to forget. */
  readonly revisions: readonly number[];
  readonly what: "append" | "compact";
  /** Lets it happen. */
  readonly pass: () => Promise<void>;
  readonly fail: (error: Error) => Promise<void>;
}

/** A disk that does nothing until a test lets it. */
export class HeldLog extends MemoryLog implements RecordLog {
  readonly #held: HeldCall[] = [];
  #waiting: (() => void) | undefined;

  override append(records: readonly LogRecord[]): Promise<void> {
    const revisions = records.map(({ revision }) => revision);
    return this.#hold("append", revisions, () => super.append(records));
  }

  override compact(compacted: number, obsolete: readonly number[]): Promise<void> {
    return this.#hold("compact", obsolete, () => super.compact(compacted, obsolete));
  }

  /** The next call that reaches the disk. */
  async next(): Promise<HeldCall> {
    if (this.#held.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return this.#held.shift() as HeldCall;
  }

  /** Whether nothing has reached the disk that was not let through, once all that is due has happened. */
  async isIdle(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#held.length === 0;
  }

  #hold(what: HeldCall["what"], revisions: readonly number[], work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const pass = async () => {
        await work();
        resolve();
        await new Promise((settled) => setImmediate(settled));
      };
      const fail = async (error: Error) => {
        reject(error);
        await new Promise((settled) => setImmediate(settled));
      };
      this.#held.push({ what, revisions, pass, fail });
      this.#waiting?.();
      this.#waiting = undefined;
    });
  }
}
