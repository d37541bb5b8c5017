interface Stoppable {
  stop(): Promise<void>;
}

/** Components that were started in order. They stop in reverse order, one after the other. */
export class StartedComponents {
  readonly #components: Stoppable[] = [];

  add<Part extends Stoppable>(part: Part): Part {
    this.#components.push(part);
    return part;
  }

  /** Idempotent. */
  async stop(): Promise<void> {
    for (const part of this.#components.splice(0).reverse()) await part.stop();
  }
}
