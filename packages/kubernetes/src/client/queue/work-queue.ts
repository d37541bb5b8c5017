import type { Clock, Timer } from "../../protocol/clock.ts";
import { abortable } from "../abortable.ts";
import { type BackoffLimits, backoffMs, type Random } from "../backoff.ts";
import { lightAbortController } from "../light-abort-controller.ts";
import { FairLanes } from "./fair-lanes.ts";
import type { QueueObserver } from "./queue-observer.ts";
import { TokenBucket, type TokenRate } from "./token-bucket.ts";

/** The result of a reconcile: done, or to be requeued after a while. */
export type ReconcileResult = { readonly outcome: "settled" } | { readonly outcome: "again"; readonly afterMs: number };

export const reconciled: ReconcileResult = { outcome: "settled" };

export function requeueAfter(afterMs: number): ReconcileResult {
  return { outcome: "again", afterMs };
}

export interface WorkQueueOptions<Key> {
  /** Reconciles a key, by its whole state. A rejection means a retry with backoff. */
  readonly reconcile: (key: Key, signal: AbortSignal) => Promise<ReconcileResult>;
  /** Keys with the same id are the same work. */
  readonly idOf: (key: Key) => string;
  /** Lanes take turns, such as control planes; all keys are in one lane when left out. */
  readonly laneOf?: (key: Key) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (error: unknown, key: Key, failures: number) => void;
  readonly observer?: QueueObserver | undefined;
  readonly limits?: Partial<WorkQueueLimits>;
}

export interface WorkQueueLimits {
  /** Keys that are reconciled concurrently. */
  readonly concurrency: number;
  readonly backoff: BackoffLimits;
  /** Rate limit over all keys: when everything fails, retries must not overload the server. */
  readonly retries: TokenRate;
  /** Queued and delayed keys. Further keys are dropped and reported. */
  readonly keysMax: number;
  /** How long running work may take to finish when the queue is stopped; then it is aborted. At once with 0. */
  readonly stopMsMax: number;
}

const defaultLimits: WorkQueueLimits = {
  concurrency: 16,
  backoff: { minMs: 20, maxMs: 30_000 },
  retries: { burst: 1_000, perSecond: 100 },
  keysMax: 1_000_000,
  stopMsMax: 10_000,
};

interface Delayed {
  readonly timer: Timer;
  readonly dueMs: number;
}

/**
 * A work queue like client-go's. A key added twice is reconciled once; added while it is being reconciled, once more
 * afterwards; failed, again with backoff. A key is never reconciled twice at the same time.
 */
export class WorkQueue<Key> {
  readonly #options: WorkQueueOptions<Key>;
  readonly #limits: WorkQueueLimits;
  readonly #waiting = new FairLanes<Key>();
  /** When queued keys were added; only filled for an observer. */
  readonly #addedAtMs = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  /** Keys that were added while they were being reconciled. */
  readonly #dirty = new Map<string, Key>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #retries: TokenBucket;
  readonly #stopped = lightAbortController();
  #isStopping = false;

  constructor(options: WorkQueueOptions<Key>) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#retries = new TokenBucket(this.#limits.retries, options.clock);
  }

  /** Number of queued, running and delayed keys. */
  get size(): number {
    return this.#waiting.size + this.#running.size + this.#delayed.size;
  }

  add(key: Key): void {
    if (this.#isStopping) return;
    const { idOf, laneOf } = this.#options;
    const id = idOf(key);
    if (this.#running.has(id)) {
      this.#dirty.set(id, key);
      return;
    }
    if (this.#waiting.size + this.#delayed.size >= this.#limits.keysMax) {
      this.#drop(key);
      return;
    }
    if (this.#waiting.add(laneOf?.(key) ?? "", id, key)) this.#notifyAdded(id);
    this.#start();
  }

  /** An earlier due time stays. */
  addAfter(key: Key, delayMs: number): void {
    if (this.#isStopping) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const id = this.#options.idOf(key);
    const dueMs = this.#options.clock.now() + delayMs;
    const planned = this.#delayed.get(id);
    if (planned !== undefined && planned.dueMs <= dueMs) return;
    planned?.timer.stop();
    if (planned === undefined && this.#delayed.size >= this.#limits.keysMax) {
      this.#drop(key);
      return;
    }
    const timer = this.#options.clock.after(delayMs, () => {
      this.#delayed.delete(id);
      this.add(key);
    });
    this.#delayed.set(id, { timer, dueMs });
  }

  /** Cancels a delayed requeue, because nothing is left to do for the key. Queued and running work is not affected. */
  cancelDelayed(key: Key): void {
    const id = this.#options.idOf(key);
    this.#delayed.get(id)?.timer.stop();
    this.#delayed.delete(id);
    this.#failures.delete(id);
  }

  /** Accepts no more keys, and resolves when running work has finished or its time to finish is over. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#options.observer?.onDepthChanged?.(-this.#waiting.size);
    this.#waiting.clear();
    this.#addedAtMs.clear();
    this.#dirty.clear();
    for (const { timer } of this.#delayed.values()) timer.stop();
    this.#delayed.clear();
    const late = new Error("the queue was stopped");
    if (this.#limits.stopMsMax > 0) await this.#finished(late);
    this.#stopped.abort(late);
  }

  async #finished(late: Error): Promise<void> {
    const deadline = this.#options.clock.after(this.#limits.stopMsMax, () => this.#stopped.abort(late));
    const done = Promise.all(this.#running.values()).then(() => undefined);
    await abortable(done, this.#stopped.signal).catch(() => undefined);
    deadline.stop();
  }

  #drop(key: Key): void {
    this.#options.report(
      new RangeError(`more than ${this.#limits.keysMax} keys are queued; this one is dropped`),
      key,
      0,
    );
  }

  #start(): void {
    while (this.#running.size < this.#limits.concurrency && this.#waiting.size > 0) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#notifyStarted(next.id);
      this.#running.set(next.id, this.#run(next.id, next.key));
    }
  }

  async #run(id: string, key: Key): Promise<void> {
    await Promise.resolve(); // the caller of add does not run the work
    const { clock, observer } = this.#options;
    const begunMs = clock.now();
    try {
      const outcome = await this.#options.reconcile(key, this.#stopped.signal);
      this.#failures.delete(id);
      if (outcome.outcome === "again") this.addAfter(key, outcome.afterMs);
    } catch (error) {
      this.#failed(id, key, error);
    } finally {
      observer?.onFinished?.(clock.now() - begunMs);
      this.#running.delete(id);
      const once = this.#dirty.get(id);
      this.#dirty.delete(id);
      if (once !== undefined) this.add(once);
      this.#start();
    }
  }

  #notifyAdded(id: string): void {
    const { observer, clock } = this.#options;
    if (observer === undefined) return;
    this.#addedAtMs.set(id, clock.now());
    observer.onAdded?.();
    observer.onDepthChanged?.(1);
  }

  #notifyStarted(id: string): void {
    const { observer, clock } = this.#options;
    if (observer === undefined) return;
    const addedMs = this.#addedAtMs.get(id) ?? clock.now();
    this.#addedAtMs.delete(id);
    observer.onDepthChanged?.(-1);
    observer.onStarted?.(clock.now() - addedMs);
  }

  #failed(id: string, key: Key, error: unknown): void {
    if (this.#isStopping) return;
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    this.#options.report(error, key, failures);
    this.#options.observer?.onRetried?.();
    this.addAfter(
      key,
      Math.max(this.#retries.reserve(), backoffMs(failures, this.#limits.backoff, this.#options.random)),
    );
  }
}
