import type { Compaction, CompactionStep } from "../compaction.ts";
import { keyText } from "../memory/key-order.ts";
import type { ObjectKey } from "../object-key.ts";
import { StorageUnavailable } from "../object-store.ts";
import { PendingTransaction } from "../pending-transaction.ts";
import type { PreparedWrite, Row } from "../prepared-write.ts";
import type { StoreLimits } from "../store-limits.ts";
import type { StoredObject } from "../stored-object.ts";
import type { TransactionOptions, TransactionResult } from "../transaction.ts";
import { Batch, type Versions } from "../write-batch.ts";
import { LogFull, type RecordLog } from "./record-log.ts";

interface Deps {
  readonly log: RecordLog;
  readonly compaction: Compaction;
  readonly versions: Versions;
  /** The newest revision that was written. */
  readonly revision: () => number;
  /** Makes rows readable, all of them; they are durable. */
  readonly apply: (rows: readonly Row[]) => readonly StoredObject[];
  /** Tells watchers of what was made readable last. */
  readonly publish: () => void;
}

/**
 * Writes to the log in batches: while one is on its way to the disk, the next gathers. A transaction's preconditions are
 * checked, and its rows get their revisions, when its batch is taken: by then everything before it is durable.
 */
export class LogWriter {
  readonly #deps: Deps;
  readonly #limits: StoreLimits;
  /** The latest transaction of each object that one is on its way for. */
  readonly #pending = new Map<string, PendingTransaction>();
  /** All that are on their way. */
  readonly #transactions = new Set<PendingTransaction>();
  #queue: PendingTransaction[] = [];
  #queuedChars = 0;
  #refusal: string | undefined;
  #isBroken = false;
  #running: Promise<void> | undefined;

  constructor(deps: Deps, limits: StoreLimits) {
    this.#deps = deps;
    this.#limits = limits;
  }

  isPending(key: ObjectKey): boolean {
    return this.#pending.size > 0 && this.#pending.has(keyText(key));
  }

  /** Settles, and never rejects, with the latest transaction of this object; undefined when there is none. */
  pending(key: ObjectKey): Promise<unknown> | undefined {
    return this.#pending.get(keyText(key))?.result.catch(() => undefined);
  }

  /** Settles, and never rejects, when all transactions that are on their way now are done. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#transactions].map(({ result }) => result));
  }

  /** Throws unless writes are taken. */
  admit(): void {
    if (this.#refusal !== undefined) throw new StorageUnavailable(this.#refusal);
    if (this.#queue.length < this.#limits.queueCount && this.#queuedChars < this.#limits.queueChars) return;
    throw new StorageUnavailable(`${this.#queue.length} writes wait for the disk already; try again later`);
  }

  write(writes: readonly PreparedWrite[], options: TransactionOptions): Promise<TransactionResult> {
    const transaction = new PendingTransaction(writes, options);
    for (const { id } of writes) this.#pending.set(id, transaction);
    this.#transactions.add(transaction);
    this.#queue.push(transaction);
    this.#queuedChars += transaction.chars;
    this.wake();
    return transaction.result;
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
      await this.#deps.log.gathered();
      const batch = this.#takeBatch();
      if (!batch.isEmpty) await this.#append(batch);
      const step = this.#isBroken ? undefined : this.#deps.compaction.next();
      if (step !== undefined) await this.#compact(step);
      // Nothing was awaited since the batch was taken, so nobody can have come in between.
      if (batch.isEmpty && step === undefined && this.#queue.length === 0) break;
    }
    this.#running = undefined;
  }

  async #append(batch: Batch): Promise<void> {
    const { log, revision, apply, publish } = this.#deps;
    try {
      const rows = batch.rows(revision() + 1);
      await log.append(rows.map(({ record }) => record));
      const stored = apply(rows);
      this.#forget(batch.transactions);
      batch.stored(stored);
      publish();
    } catch (error) {
      this.#abandon(batch, error);
    }
  }

  async #compact(step: CompactionStep): Promise<void> {
    const { log, compaction } = this.#deps;
    try {
      await log.compact(step.compacted, step.obsolete);
    } catch (error) {
      compaction.postpone(step);
      if (!(error instanceof LogFull)) this.#abandon(new Batch(this.#deps.versions, this.#limits), error);
    }
  }

  #takeBatch(): Batch {
    const batch = new Batch(this.#deps.versions, this.#limits);
    const waiting: PendingTransaction[] = [];
    const answered: PendingTransaction[] = [];
    let at = 0;
    for (; at < this.#queue.length; at += 1) {
      const transaction = this.#queue[at] as PendingTransaction;
      const fate = batch.take(transaction);
      if (fate === "full") break;
      if (fate === "waits") waiting.push(transaction);
      else this.#queuedChars -= transaction.chars;
      if (fate === "answered") answered.push(transaction);
    }
    this.#queue = [...waiting, ...this.#queue.slice(at)];
    answered.push(...batch.render());
    this.#forget(answered);
    return batch;
  }

  #forget(ended: readonly PendingTransaction[]): void {
    for (const transaction of ended) {
      this.#transactions.delete(transaction);
      for (const { id } of transaction.writes) if (this.#pending.get(id) === transaction) this.#pending.delete(id);
    }
  }

  /** Fails a batch and all that wait behind it. Without certainty about the disk, nothing more is written. */
  #abandon(batch: Batch, cause: unknown): void {
    const isFull = cause instanceof LogFull;
    const message = isFull ? fullText(cause) : doubtText(cause);
    if (!isFull) this.#break(message);
    const error = new StorageUnavailable(message, { cause });
    const queued = this.#queue;
    this.#queue = [];
    this.#queuedChars = 0;
    this.#forget([...batch.transactions, ...queued]);
    batch.failed(isFull ? "rolled back" : "unknown", error);
    for (const transaction of queued) transaction.fail(error);
  }

  #break(message: string): void {
    this.#isBroken = true;
    this.#refusal = message;
  }
}

function fullText(cause: LogFull): string {
  return `the disk is full, and nothing was written (${cause.message}); once there is room, writes work again`;
}

function doubtText(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `the disk failed, and the latest writes may or may not be there (${reason}); nothing is written until a restart`;
}
