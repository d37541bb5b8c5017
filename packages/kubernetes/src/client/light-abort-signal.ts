type Listener = ((event: Event) => void) | { handleEvent(event: Event): void };

/**
 * A cheap AbortSignal. Platform signals take a large part of the cost of a request inside the process: each is an
 * EventTarget, and removing one of many listeners scans all of them. Equivalent through the interface; but
 * AbortSignal.any does not accept it.
 */
export class LightAbortSignal implements AbortSignal {
  aborted = false;
  reason: unknown = undefined;
  onabort: ((event: Event) => unknown) | null = null;
  /** Most have one listener at a time. */
  #only: Listener | undefined;
  #all: Set<Listener> | undefined;

  /** For the owner only. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.dispatchEvent(new Event("abort"));
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }

  addEventListener(type: string, listener: Listener | null): void {
    if (type !== "abort" || listener === null || this.#only === listener) return;
    if (this.aborted) return; // too late: it is aborted only once
    if (this.#all !== undefined) this.#all.add(listener);
    else if (this.#only === undefined) this.#only = listener;
    else {
      this.#all = new Set([this.#only, listener]);
      this.#only = undefined;
    }
  }

  removeEventListener(type: string, listener: Listener | null): void {
    if (type !== "abort" || listener === null) return;
    if (this.#only === listener) this.#only = undefined;
    else this.#all?.delete(listener);
  }

  /** A listener that another one removes is no longer called. */
  dispatchEvent(event: Event): boolean {
    if (this.#only !== undefined) call(this.#only, event);
    for (const listener of this.#all ?? []) call(listener, event);
    if (this.onabort !== null) call(this.onabort, event);
    this.#only = undefined;
    this.#all = undefined;
    return true;
  }
}

/** An error of one listener does not affect the others, and is rethrown as uncaught. */
function call(listener: Listener, event: Event): void {
  try {
    if (typeof listener === "function") listener(event);
    else listener.handleEvent(event);
  } catch (error) {
    process.nextTick(() => {
      throw error;
    });
  }
}
