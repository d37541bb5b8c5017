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
  /** The latest written revision. */
  readonly revision: () => number;
  /** Makes durable rows visible to readers. */
  readonly apply: (rows: readonly Row[]) => readonly StoredObject[];
  /** Notifies watchers of the rows that became visible last. */
  readonly publish: () => void;
  /** Whether a write may use the space that a full disk keeps for removals. */
  readonly isRemoval: (write: PreparedWrite) => boolean;
  /** Called when the problem changes. */
  readonly onProblem: () => void;
}

/**
 * Writes to the log in batches: while one is being written, the next one fills. Preconditions are checked and revisions
 * assigned when a batch is taken: by then everything before it is durable.
 */
export class LogWriter {
  readonly #deps: Deps;
  readonly #limits: StoreLimits;
  /** The latest pending transaction by object. */
  readonly #pending = new Map<string, PendingTransaction>();
  /** All pending transactions. */
  readonly #transactions = new Set<PendingTransaction>();
  #queue: PendingTransaction[] = [];
  #queuedChars = 0;
  #rejectReason: string | undefined;
  #isBroken = false;
  /** While the disk is full: only removals are written. */
  #full: StorageUnavailable | undefined;
  #isRoomCheckDue = false;
  #running: Promise<void> | undefined;

  constructor(deps: Deps, limits: StoreLimits, hasRoom: boolean) {
    this.#deps = deps;
    this.#limits = limits;
    if (!hasRoom) this.#full = fullError(new LogFull("database or disk is full"));
  }

  isPending(key: ObjectKey): boolean {
    return this.#pending.size > 0 && this.#pending.has(keyText(key));
  }

  /** Settles, and never rejects, with the latest transaction of this object; undefined when there is none. */
  pending(key: ObjectKey): Promise<unknown> | undefined {
    return this.#pending.get(keyText(key))?.result.catch(() => undefined);
  }

  /** Settles, and never rejects, when all currently pending transactions are done. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#transactions].map(({ result }) => result));
  }

  /** Throws unless writes are accepted. */
  requireAccepting(): void {
    if (this.#rejectReason !== undefined) throw new StorageUnavailable(this.#rejectReason);
    if (this.#queue.length < this.#limits.queueCount && this.#queuedChars < this.#limits.queueChars) return;
    throw new StorageUnavailable(`${this.#queue.length} writes are already waiting for the disk; try again later`);
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

  /** Why writes are rejected; undefined while they are accepted. */
  get rejectReason(): string | undefined {
    return this.#rejectReason;
  }

  get isFull(): boolean {
    return this.#full !== undefined;
  }

  /** Why not all writes are accepted; undefined while they are. */
  get problem(): string | undefined {
    return this.#rejectReason ?? this.#full?.message;
  }

  /** Checks whether a full disk has space again. */
  checkRoom(): void {
    this.#isRoomCheckDue = true;
    this.wake();
  }

  /** Starts writing if there is anything to write. */
  wake(): void {
    this.#running ??= this.#run();
  }

  /** Rejects further writes with this reason, and waits for pending ones. */
  async stop(reason: string): Promise<void> {
    this.#rejectReason ??= reason;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#deps.log.gatherWrites();
      if (this.#full !== undefined) await this.#waitForRoom(this.#full);
      const batch = this.#takeBatch();
      if (!batch.isEmpty) await this.#append(batch);
      const step = this.#isBroken ? undefined : this.#deps.compaction.next();
      if (step !== undefined) await this.#compact(step);
      // Nothing was awaited since the batch was taken, so there can be no other.
      if (batch.isEmpty && step === undefined && this.#queue.length === 0) break;
    }
    this.#running = undefined;
  }

  async #append(batch: Batch): Promise<void> {
    const { log, revision, apply, publish } = this.#deps;
    try {
      const rows = batch.rows(revision() + 1);
      const records = rows.map(({ record }) => record);
      await log.append(records, this.isFull);
      const stored = apply(rows);
      this.#forget(batch.transactions);
      batch.stored(stored);
      publish();
    } catch (error) {
      if (error instanceof LogFull && !this.isFull) this.#becomeFull(batch, fullError(error));
      else this.#failAll(batch, error);
    }
  }

  /** Fails all but removals, unless there is space again. */
  async #waitForRoom(full: StorageUnavailable): Promise<void> {
    const others = this.#queue.filter((transaction) => !this.#isRemoval(transaction));
    if (others.length === 0 && !this.#isRoomCheckDue) return;
    this.#isRoomCheckDue = false;
    try {
      if (await this.#deps.log.hasRoom()) this.#setFull(undefined);
      else this.#fail(others, full);
    } catch (error) {
      this.#failAll(this.#newBatch(), error);
    }
  }

  /** Fails all but removals, which are tried again and may then use the space kept for them. */
  #becomeFull(batch: Batch, full: StorageUnavailable): void {
    const all = [...batch.transactions, ...this.#queue];
    batch.ended("rolled back");
    this.#setFull(full);
    this.#queue = all;
    for (const { chars } of batch.transactions) this.#queuedChars += chars;
    this.#fail(
      all.filter((transaction) => !this.#isRemoval(transaction)),
      full,
    );
  }

  /** Fails these transactions of the queue. */
  #fail(failed: readonly PendingTransaction[], error: StorageUnavailable): void {
    const gone = new Set(failed);
    this.#queue = this.#queue.filter((transaction) => !gone.has(transaction));
    for (const { chars } of failed) this.#queuedChars -= chars;
    this.#forget(failed);
    for (const transaction of this.#queue) for (const { id } of transaction.writes) this.#pending.set(id, transaction);
    for (const transaction of failed) transaction.fail(error);
  }

  #isRemoval({ writes }: PendingTransaction): boolean {
    return writes.every((write) => this.#deps.isRemoval(write));
  }

  #setFull(full: StorageUnavailable | undefined): void {
    this.#full = full;
    this.#deps.onProblem();
  }

  #newBatch(): Batch {
    const { batchChars } = this.#limits;
    // Smaller in the reserve, so that one large batch does not need all of it.
    const limits = this.isFull ? { ...this.#limits, batchChars: batchChars / 16 } : this.#limits;
    return new Batch(this.#deps.versions, limits);
  }

  async #compact(step: CompactionStep): Promise<void> {
    const { log, compaction } = this.#deps;
    try {
      await log.compact(step.compacted, step.obsolete);
    } catch (error) {
      compaction.postpone(step);
      if (!(error instanceof LogFull)) this.#failAll(this.#newBatch(), error);
    }
  }

  #takeBatch(): Batch {
    const batch = this.#newBatch();
    const waiting: PendingTransaction[] = [];
    const answered: PendingTransaction[] = [];
    let at = 0;
    for (; at < this.#queue.length; at += 1) {
      const transaction = this.#queue[at] as PendingTransaction;
      // Others that came while the disk was asked for space wait until it is asked again.
      const isLeft = this.isFull && !this.#isRemoval(transaction);
      const fate = isLeft ? batch.leave(transaction) : batch.take(transaction);
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

  /** Fails a batch and everything behind it. While the state of the disk is uncertain, nothing more is written. */
  #failAll(batch: Batch, cause: unknown): void {
    const isFull = cause instanceof LogFull;
    const error = isFull ? fullError(cause) : new StorageUnavailable(uncertainMessage(cause), { cause });
    if (!isFull) this.#break(error.message);
    const queued = this.#queue;
    this.#queue = [];
    this.#queuedChars = 0;
    this.#forget([...batch.transactions, ...queued]);
    batch.ended(isFull ? "rolled back" : "unknown");
    for (const transaction of [...batch.transactions, ...queued]) transaction.fail(error);
  }

  #break(message: string): void {
    this.#isBroken = true;
    this.#full = undefined;
    this.#rejectReason = message;
    this.#deps.onProblem();
  }
}

function fullError(cause: LogFull): StorageUnavailable {
  const message = `the disk is full and nothing was written (${cause.message}); writes resume when there is space`;
  return new StorageUnavailable(message, { cause });
}

function uncertainMessage(cause: unknown): string {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return `the disk failed and the latest writes may be lost (${reason}); no writes are accepted until a restart`;
}
