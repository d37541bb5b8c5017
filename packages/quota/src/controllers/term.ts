import { allOf } from "./writer/all-of.ts";

interface Stoppable {
  stop(): void | Promise<void>;
}

/**
 * What runs while this process leads. Its end begins in the order opposite to that of its start, and for all at once: who
 * does not lead any more must not go on because another part takes long to finish.
 */
export class Term {
  readonly #running: Stoppable[] = [];

  /** Starts something that is stopped with the term. */
  start<Part extends Stoppable>(part: Part): Part {
    this.#running.push(part);
    return part;
  }

  async stop(): Promise<void> {
    const parts = this.#running.splice(0).reverse();
    await allOf(parts.map(async (part) => part.stop())); // one that fails to stop keeps no other going
  }
}
