interface Stoppable {
  stop(): void | Promise<void>;
}

/** What runs while this process leads. Stopped in the order opposite to that in which it was started. */
export class Term {
  readonly #running: Stoppable[] = [];

  /** Starts something that is stopped with the term. */
  start<Part extends Stoppable>(part: Part): Part {
    this.#running.push(part);
    return part;
  }

  async stop(): Promise<void> {
    for (const part of this.#running.splice(0).reverse()) await part.stop();
  }
}
