/** A controller that is aborted with a signal, or by itself: ending it ends nothing else that hangs on the signal. */
export class ChildAbort {
  readonly controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #end = (): void => this.controller.abort(this.#parent.reason);

  constructor(parent: AbortSignal) {
    this.#parent = parent;
    if (parent.aborted) this.#end();
    else parent.addEventListener("abort", this.#end, { once: true });
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
