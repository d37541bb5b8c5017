import { isOlder } from "./revision.ts";

interface Waiter {
  readonly revision: string;
  settle(error?: unknown): void;
}

const waitersMax = 100_000;

export class RevisionWaiters {
  readonly #waiters = new Set<Waiter>();
  #reached: string | undefined;
  #stopped: { readonly reason: unknown } | undefined;

  /** Undefined while the revision is unknown. */
  get revision(): string | undefined {
    return this.#reached;
  }

  async wait(revision: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#reached !== undefined && !isOlder(this.#reached, revision)) return;
    if (this.#stopped !== undefined) throw this.#stopped.reason;
    if (this.#waiters.size >= waitersMax) throw new RangeError(`more than ${waitersMax} callers wait for a revision`);
    let waiter: Waiter | undefined;
    const end = (): void => waiter?.settle(signal.reason);
    try {
      await new Promise<void>((resolve, reject) => {
        waiter = { revision, settle: (error) => (error === undefined ? resolve() : reject(error)) };
        this.#waiters.add(waiter);
        signal.addEventListener("abort", end, { once: true });
      });
    } finally {
      if (waiter !== undefined) this.#waiters.delete(waiter);
      signal.removeEventListener("abort", end);
    }
  }

  advance(revision: string): void {
    this.#reached = revision;
    for (const waiter of this.#waiters) if (!isOlder(revision, waiter.revision)) waiter.settle();
  }

  /** The revision is unknown until the next list is complete. */
  reset(): void {
    this.#reached = undefined;
  }

  stop(reason: unknown): void {
    this.#stopped = { reason };
    for (const waiter of this.#waiters) waiter.settle(reason);
  }
}
