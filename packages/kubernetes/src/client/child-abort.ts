import { setMaxListeners } from "node:events";
import { LightSignal } from "./light-signal.ts";

/** Signals of the platform that were hung on once; most of them never again. */
const known = new WeakSet<AbortSignal>();
/** Signals that any number of requests hang on at the same time, which is no leak: each lets go when it is done. */
const crowded = new WeakSet<AbortSignal>();

/** Aborted with a signal, or by itself: ending it ends nothing else that hangs on the signal. */
export class ChildAbort {
  readonly #signal = new LightSignal();
  readonly #parent: AbortSignal;

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    if (parent.aborted) this.handleEvent();
    else {
      if (!(parent instanceof LightSignal)) expectMore(parent);
      parent.addEventListener("abort", this, once);
    }
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  abort(reason: unknown): void {
    this.#signal.abort(reason);
  }

  /** Lets go of the parent, which may live much longer. */
  release(): void {
    this.#parent.removeEventListener("abort", this);
  }

  /** The parent was aborted. Here, and not in a function of each child: there are many. */
  handleEvent(): void {
    this.#signal.abort(this.#parent.reason);
  }
}

const once = { once: true };

function expectMore(signal: AbortSignal): void {
  if (!known.has(signal)) known.add(signal);
  else if (!crowded.has(signal)) {
    setMaxListeners(0, signal);
    crowded.add(signal);
  }
}
