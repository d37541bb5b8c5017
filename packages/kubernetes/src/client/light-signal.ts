type Listener = ((event: Event) => void) | { handleEvent(event: Event): void };

/**
 * An AbortSignal for what there are many of. Those of the platform are a good part of what a request inside the process
 * costs: each is an EventTarget, and letting go of one that many hang on looks at all of them. Whoever only sees the
 * interface sees no difference; but AbortSignal.any takes none of these.
 */
export class LightSignal implements AbortSignal {
  aborted = false;
  reason: unknown = undefined;
  onabort: ((event: Event) => unknown) | null = null;
  /** Most have one listener at a time. */
  #only: Listener | undefined;
  #all: Set<Listener> | undefined;

  /** Only for whoever owns it. */
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
    if (this.aborted) return; // too late: it is aborted once
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

  /** Whoever is let go of by a listener before it is not called any more. */
  dispatchEvent(event: Event): boolean {
    if (this.#only !== undefined) call(this.#only, event);
    for (const listener of this.#all ?? []) call(listener, event);
    if (this.onabort !== null) call(this.onabort, event);
    this.#only = undefined;
    this.#all = undefined;
    return true;
  }
}

/** One that fails keeps the others from nothing, and is not overlooked. */
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
