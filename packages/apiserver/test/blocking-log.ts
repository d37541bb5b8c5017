import { MemoryLog } from "../src/storage/log/memory-log.ts";
import type { LogRecord, RecordLog } from "../src/storage/log/record-log.ts";

interface BlockedCall {
  /** The revisions to append or compact. */
  readonly revisions: readonly number[];
  readonly what: "append" | "append to reserve" | "compact";
  /** Lets the call proceed. */
  readonly pass: () => Promise<void>;
  readonly fail: (error: Error) => Promise<void>;
}

/** A disk that blocks until a test lets it proceed. */
export class BlockingLog extends MemoryLog implements RecordLog {
  readonly #blocked: BlockedCall[] = [];
  #waiting: (() => void) | undefined;
  isFull = false;
  /** How often the log was asked for room. */
  roomChecks = 0;

  override append(records: readonly LogRecord[], usesReserve = false): Promise<void> {
    const revisions = records.map(({ revision }) => revision);
    return this.#block(usesReserve ? "append to reserve" : "append", revisions, () => super.append(records));
  }

  override async hasRoom(): Promise<boolean> {
    this.roomChecks += 1;
    return !this.isFull;
  }

  override compact(compacted: number, obsolete: readonly number[]): Promise<void> {
    return this.#block("compact", obsolete, () => super.compact(compacted, obsolete));
  }

  /** The next call that reaches the disk. */
  async next(): Promise<BlockedCall> {
    if (this.#blocked.length === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return this.#blocked.shift() as BlockedCall;
  }

  /** Whether no call has reached the disk, after everything due has happened. */
  async isIdle(): Promise<boolean> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#blocked.length === 0;
  }

  #block(what: BlockedCall["what"], revisions: readonly number[], work: () => Promise<void>): Promise<void> {
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
      this.#blocked.push({ what, revisions, pass, fail });
      this.#waiting?.();
      this.#waiting = undefined;
    });
  }
}
