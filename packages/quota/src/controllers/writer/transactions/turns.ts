/**
 * Whose turn it is to change the pages of a consumer: a round of the writer, or a transaction of the store. One at a time,
 * so that neither overtakes what the other has prepared.
 */
export class Turns {
  #holder: "nobody" | "round" | "transaction" = "nobody";
  #over: Promise<void> = Promise.resolve();
  #end: () => void = () => undefined;

  get isFree(): boolean {
    return this.#holder === "nobody";
  }

  /** Whether a round of the writer has its turn. */
  get isInRound(): boolean {
    return this.#holder === "round";
  }

  /** Settles when the turn that is on now is over. */
  get over(): Promise<void> {
    return this.#over;
  }

  /** Waits for the turn of a round. */
  async beginRound(): Promise<void> {
    while (!this.isFree) await this.#over;
    this.#begin("round");
  }

  /** To be called while it is nobody's turn. */
  beginTransaction(): void {
    if (!this.isFree) throw new Error(`it is the turn of a ${this.#holder}`);
    this.#begin("transaction");
  }

  end(): void {
    this.#holder = "nobody";
    this.#end();
  }

  #begin(holder: "round" | "transaction"): void {
    this.#holder = holder;
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }
}
