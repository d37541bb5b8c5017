import { setMaxListeners } from "node:events";
import { LightAbortSignal } from "./light-abort-signal.ts";

/** Platform signals with a listener; most never get a second one. */
const listenedTo = new WeakSet<AbortSignal>();
/** Signals with any number of concurrent listeners, which is no leak: each request removes its own. */
const withoutListenerLimit = new WeakSet<AbortSignal>();

/** Aborted with its parent signal, or on its own without affecting the parent. */
export class ChildAbortController {
  readonly #signal = new LightAbortSignal();
  readonly #parent: AbortSignal;

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    if (parent.aborted) this.handleEvent();
    else {
      if (!(parent instanceof LightAbortSignal)) liftListenerLimit(parent);
      parent.addEventListener("abort", this, once);
    }
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  abort(reason: unknown): void {
    this.#signal.abort(reason);
  }

  /** Removes the listener from the parent, which may live much longer. */
  release(): void {
    this.#parent.removeEventListener("abort", this);
  }

  /** Called when the parent is aborted. A method, because a closure per child would cost memory: there are many. */
  handleEvent(): void {
    this.#signal.abort(this.#parent.reason);
  }
}

const once = { once: true };

function liftListenerLimit(signal: AbortSignal): void {
  if (!listenedTo.has(signal)) listenedTo.add(signal);
  else if (!withoutListenerLimit.has(signal)) {
    setMaxListeners(0, signal);
    withoutListenerLimit.add(signal);
  }
}
