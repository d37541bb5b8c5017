import type { Clock, Timer } from "../../protocol/clock.ts";
import { type BackoffLimits, backoffMs, type Random } from "../backoff.ts";
import { sharedAbort } from "../shared-abort.ts";
import { untilAborted } from "../until-aborted.ts";
import { FairLanes } from "./fair-lanes.ts";
import type { QueueListener } from "./queue-listener.ts";
import { TokenBucket, type TokenRate } from "./token-bucket.ts";

/** What work on a key came to: done for now, or to be looked at again after a while. */
export type Outcome = { readonly outcome: "settled" } | { readonly outcome: "again"; readonly afterMs: number };

export const settled: Outcome = { outcome: "settled" };

export function again(afterMs: number): Outcome {
  return { outcome: "again", afterMs };
}

export interface WorkQueueOptions<Key> {
  /** Brings whatever the key names into order, by its whole state. Rejecting means: again, later. */
  readonly work: (key: Key, signal: AbortSignal) => Promise<Outcome>;
  /** What makes two keys the same work. */
  readonly idOf: (key: Key) => string;
  /** Who takes turns with whom, such as control planes; all keys are in one lane when left out. */
  readonly laneOf?: (key: Key) => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (error: unknown, key: Key, failures: number) => void;
  /** Those who count. */
  readonly told?: QueueListener | undefined;
  readonly limits?: Partial<WorkQueueLimits>;
}

export interface WorkQueueLimits {
  /** How many keys are worked on at the same time. */
  readonly concurrency: number;
  readonly backoff: BackoffLimits;
  /** Of all keys together: when everything fails, the retries must not be what keeps it down. */
  readonly retries: TokenRate;
  /** Keys that wait or are retried. One more is dropped, and reported. */
  readonly keysMax: number;
  /** How long work under way may take to finish when the queue is stopped; then it is aborted. At once with 0. */
  readonly stopMsMax: number;
}

const defaultLimits: WorkQueueLimits = {
  concurrency: 16,
  backoff: { minMs: 20, maxMs: 30_000 },
  retries: { burst: 1_000, perSecond: 100 },
  keysMax: 1_000_000,
  stopMsMax: 10_000,
};

interface Later {
  readonly timer: Timer;
  readonly dueMs: number;
}

/**
 * Work that is asked for by key. Asked for twice it is done once; asked for while it is being done, once more
 * afterwards; failed, again after a growing pause. A key is never worked on twice at the same time.
 */
export class WorkQueue<Key> {
  readonly #options: WorkQueueOptions<Key>;
  readonly #limits: WorkQueueLimits;
  readonly #waiting = new FairLanes<Key>();
  /** When keys that wait were asked for, if anybody wants to know. */
  readonly #addedAtMs = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();
  /** Asked for while it was being done. */
  readonly #once = new Map<string, Key>();
  readonly #later = new Map<string, Later>();
  readonly #failures = new Map<string, number>();
  readonly #retries: TokenBucket;
  readonly #stopped = sharedAbort();
  #isStopping = false;

  constructor(options: WorkQueueOptions<Key>) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#retries = new TokenBucket(this.#limits.retries, options.clock);
  }

  /** How many keys wait, are being worked on, or are due later. */
  get size(): number {
    return this.#waiting.size + this.#running.size + this.#later.size;
  }

  add(key: Key): void {
    if (this.#isStopping) return;
    const { idOf, laneOf } = this.#options;
    const id = idOf(key);
    if (this.#running.has(id)) {
      this.#once.set(id, key);
      return;
    }
    if (this.#waiting.size + this.#later.size >= this.#limits.keysMax) {
      this.#drop(key);
      return;
    }
    if (this.#waiting.add(laneOf?.(key) ?? "", id, key)) this.#tellAdded(id);
    this.#start();
  }

  /** If it is due sooner already, that stands. */
  addAfter(key: Key, delayMs: number): void {
    if (this.#isStopping) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const id = this.#options.idOf(key);
    const dueMs = this.#options.clock.now() + delayMs;
    const planned = this.#later.get(id);
    if (planned !== undefined && planned.dueMs <= dueMs) return;
    planned?.timer.stop();
    if (planned === undefined && this.#later.size >= this.#limits.keysMax) {
      this.#drop(key);
      return;
    }
    const timer = this.#options.clock.after(delayMs, () => {
      this.#later.delete(id);
      this.add(key);
    });
    this.#later.set(id, { timer, dueMs });
  }

  /** Takes back what is due later: nothing is to be done about the key any more. What waits or runs is not touched. */
  dropLater(key: Key): void {
    const id = this.#options.idOf(key);
    this.#later.get(id)?.timer.stop();
    this.#later.delete(id);
    this.#failures.delete(id);
  }

  /** Takes nothing more, and resolves when what is under way has finished, or has been told to end and has had its time. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#options.told?.waiting?.(-this.#waiting.size);
    this.#waiting.clear();
    this.#addedAtMs.clear();
    this.#once.clear();
    for (const { timer } of this.#later.values()) timer.stop();
    this.#later.clear();
    const late = new Error("the queue was stopped");
    if (this.#limits.stopMsMax > 0) await this.#finished(late);
    this.#stopped.abort(late);
  }

  async #finished(late: Error): Promise<void> {
    const deadline = this.#options.clock.after(this.#limits.stopMsMax, () => this.#stopped.abort(late));
    const done = Promise.all(this.#running.values()).then(() => undefined);
    await untilAborted(done, this.#stopped.signal).catch(() => undefined);
    deadline.stop();
  }

  #drop(key: Key): void {
    this.#options.report(new RangeError(`more than ${this.#limits.keysMax} keys wait; this one is dropped`), key, 0);
  }

  #start(): void {
    while (this.#running.size < this.#limits.concurrency && this.#waiting.size > 0) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      this.#tellStarted(next.id);
      this.#running.set(next.id, this.#run(next.id, next.key));
    }
  }

  async #run(id: string, key: Key): Promise<void> {
    await Promise.resolve(); // whoever adds a key is not kept by the work on it
    const { clock, told } = this.#options;
    const begunMs = clock.now();
    try {
      const outcome = await this.#options.work(key, this.#stopped.signal);
      this.#failures.delete(id);
      if (outcome.outcome === "again") this.addAfter(key, outcome.afterMs);
    } catch (error) {
      this.#failed(id, key, error);
    } finally {
      told?.worked?.(clock.now() - begunMs);
      this.#running.delete(id);
      const once = this.#once.get(id);
      this.#once.delete(id);
      if (once !== undefined) this.add(once);
      this.#start();
    }
  }

  #tellAdded(id: string): void {
    const { told, clock } = this.#options;
    if (told === undefined) return;
    this.#addedAtMs.set(id, clock.now());
    told.added?.();
    told.waiting?.(1);
  }

  #tellStarted(id: string): void {
    const { told, clock } = this.#options;
    if (told === undefined) return;
    const addedMs = this.#addedAtMs.get(id) ?? clock.now();
    this.#addedAtMs.delete(id);
    told.waiting?.(-1);
    told.started?.(clock.now() - addedMs);
  }

  #failed(id: string, key: Key, error: unknown): void {
    if (this.#isStopping) return;
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    this.#options.report(error, key, failures);
    this.#options.told?.retried?.();
    this.addAfter(
      key,
      Math.max(this.#retries.reserve(), backoffMs(failures, this.#limits.backoff, this.#options.random)),
    );
  }
}
