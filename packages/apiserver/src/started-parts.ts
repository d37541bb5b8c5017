interface Stoppable {
  stop(): Promise<void>;
}

/** Parts that were started one after the other. They stop in reverse order, each when the one after it has stopped. */
export class StartedParts {
  readonly #parts: Stoppable[] = [];

  add<Part extends Stoppable>(part: Part): Part {
    this.#parts.push(part);
    return part;
  }

  /** A second call finds nothing left to stop. */
  async stop(): Promise<void> {
    for (const part of this.#parts.splice(0).reverse()) await part.stop();
  }
}
