import { setMaxListeners } from "node:events";

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
      if (!crowded.has(parent)) setMaxListeners(0, parent);
      crowded.add(parent);
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
