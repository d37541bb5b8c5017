import { awaitAll } from "./await-all.ts";

interface Stoppable {
  stop(): void | Promise<void>;
}

/**
 * The controllers that run during one leader term. `stop` stops all of them at once, latest first: none must continue
 * without leadership because another one is slow to finish.
 */
export class Term {
  readonly #running: Stoppable[] = [];

  /** Registers a controller that is stopped with the term. */
  start<Part extends Stoppable>(part: Part): Part {
    this.#running.push(part);
    return part;
  }

  async stop(): Promise<void> {
    const parts = this.#running.splice(0).reverse();
    await awaitAll(parts.map(async (part) => part.stop())); // stops the others even if one fails to stop
  }
}
