import { setMaxListeners } from "node:events";

/** Signals that were hung on once; most of them never again. */
const known = new WeakSet<AbortSignal>();
/** Signals that any number of requests hang on at the same time, which is no leak: each lets go when it is done. */
const crowded = new WeakSet<AbortSignal>();

/** A controller that is aborted with a signal, or by itself: ending it ends nothing else that hangs on the signal. */
export class ChildAbort {
  readonly controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #end = (): void => this.controller.abort(this.#parent.reason);

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    if (parent.aborted) this.#end();
    else {
      expectMore(parent);
      parent.addEventListener("abort", this.#end, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** Lets go of the parent, which may live much longer. */
  release(): void {
    this.#parent.removeEventListener("abort", this.#end);
  }
}

function expectMore(signal: AbortSignal): void {
  if (!known.has(signal)) known.add(signal);
  else if (!crowded.has(signal)) {
    setMaxListeners(0, signal);
    crowded.add(signal);
  }
}
