import type { Clock, Timer } from "../../protocol/clock.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { checkKey } from "./key-order.ts";
import { type Loaded, loadLog, trim } from "./load-log.ts";
import { LogWriter } from "./log-writer.ts";
import type { ObjectKey, Scope } from "./object-key.ts";
import {
  type Change,
  type ListOptions,
  type ObjectStore,
  type PutOptions,
  StorageUnavailable,
  type StoredObject,
  type WriteResult,
} from "./object-store.ts";
import type { LogRecord, RecordLog } from "./record-log.ts";
import { defaultLimits, type StoreLimits } from "./store-limits.ts";
import type { Parsed } from "./stored-version.ts";
import type { VersionedObjects } from "./versioned-objects.ts";
import { type Watcher, Watchers } from "./watchers.ts";

export interface StoreOptions {
  readonly limits?: Partial<StoreLimits>;
  /** Told of what a watch's listener throws; the listener hears nothing more. */
  readonly report?: (error: unknown) => void;
}

/** Reads all of a log and serves it from memory. Throws LogDamaged, and closes the log then. */
export async function openStore(log: RecordLog, clock: Clock, options: StoreOptions = {}): Promise<ObjectStore> {
  const limits = { ...defaultLimits, ...options.limits };
  try {
    const loaded = await loadLog(log, clock.now(), limits);
    return new Store({ ...loaded, log, clock }, limits, options.report ?? warn);
  } catch (error) {
    await log.close().catch(() => undefined); // the first failure is the one to tell
    throw error;
  }
}

interface Parts extends Loaded {
  readonly log: RecordLog;
  readonly clock: Clock;
}

interface Wanted {
  readonly deleted: boolean;
  readonly object: JsonObject;
}

const takenBackMeanwhile = "the disk was full while this was decided, and nothing was written; try again";

class Store implements ObjectStore {
  readonly #parts: Parts;
  readonly #objects: VersionedObjects;
  readonly #writer: LogWriter;
  readonly #watchers: Watchers;
  readonly #compactionEveryMs: number;
  #timer: Timer | undefined;
  #closed: Promise<void> | undefined;

  constructor(parts: Parts, limits: StoreLimits, report: (error: unknown) => void) {
    this.#parts = parts;
    this.#objects = parts.objects;
    this.#compactionEveryMs = limits.compactionEveryMs;
    this.#watchers = new Watchers(report);
    const { log, compaction, objects } = parts;
    const apply = (record: LogRecord, object: Parsed | undefined) => this.#apply(record, object);
    this.#writer = new LogWriter({ log, compaction, apply }, limits, objects.revision);
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

  async quiet(key: ObjectKey): Promise<void> {
    for (let ahead = this.#writer.ahead(key); ahead !== undefined; ahead = this.#writer.ahead(key)) await ahead;
  }

  settled(): Promise<void> {
    return this.#writer.settled();
  }

  put(key: ObjectKey, expected: number, object: JsonObject, options: PutOptions = {}): Promise<WriteResult> {
    return this.#write(key, expected, { deleted: false, object }, options);
  }

  async remove(key: ObjectKey, expected: number, last: JsonObject): Promise<WriteResult> {
    if (expected === 0) return { ok: false, current: this.#objects.get(key) };
    return this.#write(key, expected, { deleted: true, object: last }, {});
  }

  list(scope: Scope, options?: ListOptions): Iterable<StoredObject> {
    return this.#objects.list(scope, options);
  }

  count(scope: Scope): number {
    return this.#objects.count(scope);
  }

  get fault(): string | undefined {
    return this.#writer.refusal;
  }

  get takenBack(): number {
    return this.#writer.takenBack;
  }

  isWaiting(revision: number): boolean {
    return this.#writer.isWaiting(revision);
  }

  isNewest(key: ObjectKey, revision: number): boolean {
    return (this.#writer.comingRevision(key) ?? this.#objects.get(key)?.revision ?? 0) === revision;
  }

  resources(): readonly string[] {
    return this.#objects.resources;
  }

  watchAll(listener: (change: Change) => void): () => void {
    return this.#watchers.addForAll(listener);
  }

  watch(scope: Scope, from: number, listener: (change: Change) => void): () => void {
    const watcher: Watcher = { scope, listener, seen: from };
    for (const change of this.#objects.changesAfter(from, scope)) {
      if (!this.#watchers.tell(watcher, change)) return () => undefined;
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
    this.#watchers.clear();
    await this.#parts.log.close();
  }

  async #write(
    key: ObjectKey,
    expected: number,
    { deleted, object }: Wanted,
    options: PutOptions,
  ): Promise<WriteResult> {
    const { takenBack, standing = [] } = options;
    checkKey(key);
    this.#writer.admit();
    // A conflict is answered once the write it conflicts with is there to be seen. If that one failed, there is none.
    for (let ahead = this.#writer.ahead(key); ahead !== undefined; ahead = this.#writer.ahead(key)) {
      await ahead;
      if (!this.#isStored(key, expected)) break;
      this.#writer.admit();
    }
    const current = this.#objects.get(key);
    if ((current?.revision ?? 0) !== expected) return { ok: false, current };
    if (takenBack !== undefined && takenBack !== this.takenBack) throw new StorageUnavailable(takenBackMeanwhile);
    if (!standing.every((each) => this.isNewest(each.key, each.revision)))
      throw new Error("something was written since");
    const stored = await this.#writer.write(current?.key ?? this.#objects.newKey(key), deleted, object, options);
    return { ok: true, stored };
  }

  #isStored(key: ObjectKey, expected: number): boolean {
    return (this.#objects.get(key)?.revision ?? 0) === expected;
  }

  #apply(record: LogRecord, object: Parsed | undefined): StoredObject {
    const change = this.#objects.apply(record, object, this.#parts.clock.now());
    this.#watchers.notify(change);
    if (change.previous !== undefined) this.#objects.outdated(change.previous);
    this.#trim();
    return change.stored;
  }

  #trim(): void {
    trim(this.#parts, this.#parts.clock.now());
    this.#schedule();
  }

  /** While there is anything to forget, time alone makes it old enough. */
  #schedule(): void {
    if (this.#timer !== undefined || !(this.#objects.hasHistory || !this.#parts.compaction.isEmpty)) return;
    this.#timer = this.#parts.clock.after(this.#compactionEveryMs, () => {
      this.#timer = undefined;
      this.#parts.compaction.flush();
      this.#trim();
      this.#writer.wake();
    });
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : new Error(String(error)));
}
