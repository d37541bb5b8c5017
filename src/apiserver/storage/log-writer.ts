import { isTooDeep } from "../../protocol/json-depth.ts";
import { depthMax, type JsonObject } from "../../protocol/json-value.ts";
import type { Compaction, CompactionStep } from "./compaction.ts";
import { keyText } from "./key-order.ts";
import type { ObjectKey } from "./object-key.ts";
import { ObjectTooLarge, type PutOptions, StorageUnavailable, type StoredObject } from "./object-store.ts";
import { readsBack } from "./reads-back.ts";
import { LogFull, type LogRecord, type RecordLog } from "./record-log.ts";
import type { StoreLimits } from "./store-limits.ts";
import { objectAt, type Parsed, textOf } from "./stored-version.ts";

/** A write that is not durable yet. */
interface PendingWrite {
  readonly record: LogRecord;
  /** The object that the text was made from, if that is what it says. */
  readonly object: Parsed | undefined;
  readonly id: string;
  /** The revision of the write that this one goes with, to the disk and into view. */
  readonly together: number | undefined;
  readonly settle: (stored: StoredObject) => void;
  readonly fail: (error: Error) => void;
  readonly settled: Promise<StoredObject>;
}

interface Ports {
  readonly log: RecordLog;
  readonly compaction: Compaction;
  /** Makes a record visible; it is durable. */
  readonly apply: (record: LogRecord, object: Parsed | undefined) => StoredObject;
}

/**
 * Writes to the log in batches: while one is on its way to the disk, the next gathers. Gives out revisions, and makes
 * writes visible in their order.
 */
export class LogWriter {
  readonly #ports: Ports;
  readonly #limits: StoreLimits;
  readonly #pending = new Map<string, PendingWrite>();
  #queue: PendingWrite[] = [];
  #queuedChars = 0;
  #assigned: number;
  /** The last revision that went to the disk. */
  #taken: number;
  #takenBack = 0;
  #refusal: string | undefined;
  #isBroken = false;
  #running: Promise<void> | undefined;

  constructor(ports: Ports, limits: StoreLimits, revision: number) {
    this.#ports = ports;
    this.#limits = limits;
    this.#assigned = revision;
    this.#taken = revision;
  }

  /** How often writes failed that had their place already. */
  get takenBack(): number {
    return this.#takenBack;
  }

  /** Whether a write has its place, and is not on its way to the disk yet: what comes now can go with it. */
  isWaiting(revision: number): boolean {
    return revision > this.#taken && revision <= this.#assigned;
  }

  /** The revision of the write of this object that is on its way; undefined when there is none. */
  comingRevision(key: ObjectKey): number | undefined {
    return this.#pending.get(keyText(key))?.record.revision;
  }

  /** Settles, and never rejects, with the write of this object that is on its way; undefined when there is none. */
  ahead(key: ObjectKey): Promise<unknown> | undefined {
    return this.#pending.get(keyText(key))?.settled.catch(() => undefined);
  }

  /** Settles, and never rejects, when all writes that are on their way now are done. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#pending.values()].map(({ settled }) => settled));
  }

  /** Throws unless writes are taken. */
  admit(): void {
    if (this.#refusal !== undefined) throw new StorageUnavailable(this.#refusal);
    if (this.#queue.length < this.#limits.queueCount && this.#queuedChars < this.#limits.queueChars) return;
    throw new StorageUnavailable(`${this.#queue.length} writes wait for the disk already; try again later`);
  }

  /** The caller has made sure that no other write of this object is on its way. */
  write(
    key: ObjectKey,
    deleted: boolean,
    object: JsonObject,
    { ordered, together }: Pick<PutOptions, "ordered" | "together"> = {},
  ): Promise<StoredObject> {
    if (together !== undefined && !this.isWaiting(together)) throw new Error(`${together} is not waiting any more`);
    const revision = this.#assigned + 1;
    const written = objectAt(revision, object);
    const text = textOf(written);
    if (!deleted) this.#requireSize(text);
    this.#assigned = revision;
    const isAsRead = readsBack(written);
    const write = pendingWrite({ revision, key, deleted, text }, isAsRead ? written : undefined, together);
    this.#pending.set(write.id, write);
    this.#queue.push(write);
    this.#queuedChars += text.length;
    this.wake();
    if (isAsRead) ordered?.({ key, revision, text, object: written });
    return write.settled;
  }

  #requireSize(text: string): void {
    const { objectChars } = this.#limits;
    if (text.length > objectChars) {
      throw new ObjectTooLarge(`the object would take ${text.length} characters: limit is ${objectChars}`);
    }
    if (isTooDeep(text)) throw new ObjectTooLarge(`the object would be nested deeper than ${depthMax} levels`);
  }

  /** Why nothing more is written; undefined while all is well. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Starts on whatever there is to write. */
  wake(): void {
    this.#running ??= this.#run();
  }

  /** Takes no more writes, for this reason, and waits for those on their way. */
  async stop(reason: string): Promise<void> {
    this.#refusal ??= reason;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#ports.log.gathered();
      const batch = this.#takeBatch();
      if (batch.length > 0) await this.#append(batch);
      const step = this.#isBroken ? undefined : this.#ports.compaction.next();
      if (step !== undefined) await this.#compact(step);
      // Nothing was awaited since the batch was taken, so nobody can have come in between.
      if (batch.length === 0 && step === undefined) break;
    }
    this.#running = undefined;
  }

  async #append(batch: readonly PendingWrite[]): Promise<void> {
    try {
      await this.#ports.log.append(batch.map(({ record }) => record));
      for (const write of batch) this.#publish(write);
    } catch (error) {
      this.#abandon(batch, error);
    }
  }

  async #compact(step: CompactionStep): Promise<void> {
    const { log, compaction } = this.#ports;
    try {
      await log.compact(step.compacted, step.obsolete);
    } catch (error) {
      compaction.postpone(step);
      if (!(error instanceof LogFull)) this.#abandon([], error);
    }
  }

  #takeBatch(): readonly PendingWrite[] {
    const { batchCount, batchChars } = this.#limits;
    let count = 0;
    let chars = 0;
    for (const { record } of this.#queue) {
      if (count > 0 && (count === batchCount || chars + record.text.length > batchChars)) break;
      count += 1;
      chars += record.text.length;
    }
    const batch = this.#queue.splice(0, this.#withCompany(count));
    for (const { record } of batch) this.#queuedChars -= record.text.length;
    this.#taken = batch.at(-1)?.record.revision ?? this.#taken;
    return batch;
  }

  /** How many go when so many would, and nobody is to be parted from whom they go with. */
  #withCompany(count: number): number {
    let all = count;
    for (let at = count; at < this.#queue.length; at += 1) {
      const last = this.#queue[all - 1]?.record.revision ?? 0;
      if ((this.#queue[at]?.together ?? Number.POSITIVE_INFINITY) <= last) all = at + 1;
    }
    return all;
  }

  #publish(write: PendingWrite): void {
    this.#pending.delete(write.id);
    write.settle(this.#ports.apply(write.record, write.object));
  }

  /**
   * Fails a batch and all that was decided on top of it. Without certainty about the disk, nothing more is written.
   * Revisions are not given out again: somebody may know them, for what they were to be.
   */
  #abandon(batch: readonly PendingWrite[], cause: unknown): void {
    const message = cause instanceof LogFull ? fullText(cause) : doubtText(cause);
    if (!(cause instanceof LogFull)) this.#break(message);
    const failed = [...batch, ...this.#queue];
    this.#queue = [];
    this.#queuedChars = 0;
    this.#taken = this.#assigned;
    this.#takenBack += 1;
    for (const write of failed) {
      this.#pending.delete(write.id);
      write.fail(new StorageUnavailable(message, { cause }));
    }
  }

  #break(message: string): void {
    this.#isBroken = true;
    this.#refusal = message;
  }
}

function pendingWrite(record: LogRecord, object: Parsed | undefined, together: number | undefined): PendingWrite {
  let settle: PendingWrite["settle"] = () => undefined;
  let fail: PendingWrite["fail"] = () => undefined;
  const settled = new Promise<StoredObject>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  return { record, object, id: keyText(record.key), together, settle, fail, settled };
}

function fullText(cause: LogFull): string {
  return `the disk is full, and nothing was written (${cause.message}); once there is room, writes work again`;
}

function doubtText(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `the disk failed, and the latest writes may or may not be there (${reason}); nothing is written until a restart`;
}
