import type { Clock, Timer } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type LoadedStore, loadLog, trim } from "./log/load-log.ts";
import { LogWriter } from "./log/log-writer.ts";
import type { RecordLog } from "./log/record-log.ts";
import { checkKey } from "./memory/key-order.ts";
import type { VersionedObjects } from "./memory/versioned-objects.ts";
import type { ObjectKey, Scope } from "./object-key.ts";
import type { Change, ListOptions, ObjectStore, WriteResult } from "./object-store.ts";
import { type PreparedWrite, preparedWrite, type Row } from "./prepared-write.ts";
import { defaultLimits, type StoreLimits } from "./store-limits.ts";
import type { StoredObject } from "./stored-object.ts";
import type { TransactionOptions, TransactionResult, Write } from "./transaction.ts";
import { type Watcher, Watchers } from "./watchers.ts";

export interface StoreOptions {
  readonly limits?: Partial<StoreLimits>;
  /** Receives errors that listeners of watches throw; such a listener is unsubscribed. */
  readonly report?: (error: unknown) => void;
  /** Whether an update may use the space that a full disk keeps for removals. Deletions may anyway. */
  readonly isRemoval?: IsRemoval;
  /** Called when not all writes are stored any more, with the reason, and when they are again. */
  readonly onWriteProblem?: (problem: string | undefined) => void;
}

export type IsRemoval = (before: StoredObject, after: JsonObject) => boolean;

/** Loads a log and serves it from memory. Throws LogDamaged, after closing the log. */
export async function openStore(log: RecordLog, clock: Clock, options: StoreOptions = {}): Promise<ObjectStore> {
  const limits = { ...defaultLimits, ...options.limits };
  try {
    const loaded = await loadLog(log, clock.now(), limits);
    return new Store({ ...loaded, log, clock }, limits, options);
  } catch (error) {
    await log.close().catch(() => undefined); // the first failure is the one to report
    throw error;
  }
}

interface StoreDeps extends LoadedStore {
  readonly log: RecordLog;
  readonly clock: Clock;
  readonly hasRoom: boolean;
}

class Store implements ObjectStore {
  readonly #deps: StoreDeps;
  readonly #objects: VersionedObjects;
  readonly #writer: LogWriter;
  readonly #watchers: Watchers;
  readonly #compactionEveryMs: number;
  readonly #objectChars: number;
  /** Visible changes that watchers are still to be notified of. */
  #changes: readonly Change[] = [];
  #timer: Timer | undefined;
  readonly #roomCheckEveryMs: number;
  readonly #options: StoreOptions;
  #roomTimer: Timer | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: StoreDeps, limits: StoreLimits, options: StoreOptions) {
    this.#deps = parts;
    this.#objects = parts.objects;
    this.#compactionEveryMs = limits.compactionEveryMs;
    this.#objectChars = limits.objectChars;
    this.#roomCheckEveryMs = limits.roomCheckEveryMs;
    this.#options = options;
    this.#watchers = new Watchers(options.report ?? warn);
    const { log, compaction, objects } = parts;
    const versions = {
      revisionOf: (key: ObjectKey) => this.#revisionOf(key),
      get: (key: ObjectKey) => objects.get(key),
      prepare: (write: Write) => this.#prepare(write),
    };
    const publish = (): void => this.#publish();
    const apply = (rows: readonly Row[]): readonly StoredObject[] => this.#apply(rows);
    const isRemoval = (write: PreparedWrite): boolean => this.#isRemoval(write);
    const onProblem = (): void => this.#onProblem();
    const revision = (): number => objects.revision;
    this.#writer = new LogWriter(
      { log, compaction, versions, revision, apply, publish, isRemoval, onProblem },
      limits,
      parts.hasRoom,
    );
    if (!parts.hasRoom) this.#onProblem();
    this.#schedule();
  }

  get revision(): number {
    return this.#objects.revision;
  }

  get oldestRevision(): number {
    return this.#objects.oldestRevision;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#objects.get(key);
  }

  async writesSettled(key: ObjectKey): Promise<void> {
    for (let pending = this.#writer.pending(key); pending !== undefined; pending = this.#writer.pending(key)) {
      await pending;
    }
  }

  settled(): Promise<void> {
    return this.#writer.settled();
  }

  wholeRevision(revision: number): number {
    return this.#objects.wholeRevision(revision);
  }

  async put(key: ObjectKey, expected: number, object: JsonObject): Promise<WriteResult> {
    return resultOf(await this.transact([{ key, expected, object, deleted: false }]));
  }

  async remove(key: ObjectKey, expected: number, last: JsonObject): Promise<WriteResult> {
    if (expected === 0) return { ok: false, current: this.#objects.get(key) };
    return resultOf(await this.transact([{ key, expected, object: last, deleted: true }]));
  }

  async transact(writes: readonly Write[], options: TransactionOptions = {}): Promise<TransactionResult> {
    for (const { key } of writes) checkKey(key);
    this.#writer.requireAccepting();
    const prepared: PreparedWrite[] = [];
    for (const [at, write] of writes.entries()) {
      const current = this.#objects.get(write.key);
      const isExpected = (current?.revision ?? 0) === write.expected;
      // A conflict with a pending write is answered once that write is visible; if it fails, there is no conflict.
      if (!isExpected && !this.#writer.isPending(write.key)) return { outcome: "conflict", at, current };
      prepared.push(preparedWrite(write, current?.key ?? this.#objects.newKey(write.key), this.#objectChars));
    }
    return this.#writer.write(prepared, options);
  }

  list(scope: Scope, options?: ListOptions): Iterable<StoredObject> {
    return this.#objects.list(scope, options);
  }

  count(scope: Scope): number {
    return this.#objects.count(scope);
  }

  get writeFailure(): string | undefined {
    return this.#writer.rejectReason;
  }

  get writeProblem(): string | undefined {
    return this.#writer.problem;
  }

  resources(): readonly string[] {
    return this.#objects.resources;
  }

  watchAll(observer: (change: Change) => void): () => void {
    return this.#watchers.addForAll(observer);
  }

  watch(scope: Scope, from: number, observer: (change: Change) => void): () => void {
    const watcher: Watcher = { scope, observer, lastRevision: from };
    for (const change of this.#objects.changesAfter(from, scope)) {
      if (!this.#watchers.deliver(watcher, change)) return () => undefined;
    }
    return this.#watchers.add(watcher);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    await this.#writer.stop("the store is closed");
    this.#timer?.stop();
    this.#roomTimer?.stop();
    this.#watchers.clear();
    await this.#deps.log.close();
  }

  #revisionOf(key: ObjectKey): number {
    return this.#objects.get(key)?.revision ?? 0;
  }

  #isRemoval({ key, expected, deleted, object }: PreparedWrite): boolean {
    if (deleted) return true;
    const before = this.#objects.get(key);
    return before?.revision === expected && this.#options.isRemoval?.(before, object) === true;
  }

  #onProblem(): void {
    this.#options.onWriteProblem?.(this.#writer.problem);
    this.#scheduleRoomCheck();
  }

  #scheduleRoomCheck(): void {
    if (this.#roomTimer !== undefined || !this.#writer.isFull || this.#closed !== undefined) return;
    this.#roomTimer = this.#deps.clock.after(this.#roomCheckEveryMs, () => {
      this.#roomTimer = undefined;
      if (this.#writer.isFull) this.#writer.checkRoom();
      this.#scheduleRoomCheck();
    });
  }

  #prepare(write: Write): PreparedWrite {
    const { key } = write;
    return preparedWrite(write, this.#objects.get(key)?.key ?? this.#objects.newKey(key), this.#objectChars);
  }

  #apply(rows: readonly Row[]): readonly StoredObject[] {
    const nowMs = this.#deps.clock.now();
    this.#changes = rows.map(({ record, object }) => this.#objects.apply(record, object, nowMs));
    return this.#changes.map(({ stored }) => stored);
  }

  #publish(): void {
    for (const change of this.#changes) {
      this.#watchers.notify(change);
      if (change.previous !== undefined) this.#objects.dropSuperseded(change.previous);
    }
    this.#changes = [];
    this.#trim();
  }

  #trim(): void {
    trim(this.#deps, this.#deps.clock.now());
    this.#schedule();
  }

  /** While there is history, it can expire by time alone. */
  #schedule(): void {
    if (this.#timer !== undefined || !(this.#objects.hasHistory || !this.#deps.compaction.isEmpty)) return;
    this.#timer = this.#deps.clock.after(this.#compactionEveryMs, () => {
      this.#timer = undefined;
      this.#deps.compaction.flush();
      this.#trim();
      this.#writer.wake();
    });
  }
}

/** For a transaction of one write, without a ticket. */
function resultOf(result: TransactionResult): WriteResult {
  if (result.outcome === "stored") return { ok: true, stored: result.stored[0] as StoredObject };
  return { ok: false, current: result.outcome === "conflict" ? result.current : undefined };
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
