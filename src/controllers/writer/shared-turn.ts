/**
 * Those who come in the same turn of the event loop go on together after it. Each step is then done for all of them before the
 * next one begins, and finds at hand what it needs.
 */
export class SharedTurn {
  readonly #turn: () => Promise<void>;
  #next: Promise<void> | undefined;

  constructor(turn: () => Promise<void> = () => Promise.resolve()) {
    this.#turn = turn;
  }

  over(): Promise<void> {
    this.#next ??= this.#begin();
    return this.#next;
  }

  async #begin(): Promise<void> {
    try {
      await this.#turn();
    } finally {
      this.#next = undefined;
    }
  }
}
