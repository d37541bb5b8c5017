import type { Clock, Timer } from "@milo-quota/kubernetes/protocol/clock.ts";

export interface QueueOptions<Item> {
  /** What makes two items the same work. */
  readonly keyOf: (item: Item) => string;
  /** Resolves to how many milliseconds later it wants to be called again, or to nothing. Rejecting is tried again. */
  readonly work: (item: Item, signal: AbortSignal) => Promise<number | undefined>;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

const atOnceMax = 16;
const retryMsMin = 20;
const retryMsMax = 30_000;

/** Work that is asked for by key: asked for twice it is done once, and while it is being done, once more afterwards. */
export class WorkQueue<Item> {
  readonly #options: QueueOptions<Item>;
  readonly #waiting = new Map<string, Item>();
  readonly #running = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, Timer>();
  readonly #stopped = new AbortController();

  constructor(options: QueueOptions<Item>) {
    this.#options = options;
  }

  add(item: Item): void {
    if (this.#stopped.signal.aborted) return;
    this.#waiting.set(this.#options.keyOf(item), item);
    this.#start();
  }

  stop(): void {
    this.#stopped.abort();
    this.#waiting.clear();
    for (const timer of this.#timers.values()) timer.stop();
    this.#timers.clear();
  }

  #start(): void {
    for (const [key, item] of this.#waiting) {
      if (this.#running.size >= atOnceMax) return;
      if (this.#running.has(key)) continue;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#run(key, item);
    }
  }

  async #run(key: string, item: Item): Promise<void> {
    try {
      const againMs = await this.#options.work(item, this.#stopped.signal);
      this.#failures.delete(key);
      if (againMs !== undefined) this.#later(key, item, againMs);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#later(key, item, Math.min(retryMsMax, retryMsMin * 2 ** Math.min(failures, 12)));
      if (failures > 5) this.#options.report(error);
    } finally {
      this.#running.delete(key);
      this.#start();
    }
  }

  #later(key: string, item: Item, delayMs: number): void {
    if (this.#stopped.signal.aborted) return;
    this.#timers.get(key)?.stop();
    const timer = this.#options.clock.after(delayMs, () => {
      this.#timers.delete(key);
      this.add(item);
    });
    this.#timers.set(key, timer);
  }
}
