/**
 * A lock on the buckets of a consumer: either a reconcile of the writer holds it, or a transaction of the store. So neither
 * overtakes writes that the other has prepared.
 */
export class Turns {
  #holder: "none" | "reconcile" | "transaction" = "none";
  #over: Promise<void> = Promise.resolve();
  #end: () => void = () => undefined;

  get isFree(): boolean {
    return this.#holder === "none";
  }

  get isReconciling(): boolean {
    return this.#holder === "reconcile";
  }

  /** Settles when the current turn is over. */
  get over(): Promise<void> {
    return this.#over;
  }

  /** Waits until the lock is free, and takes it for a reconcile. */
  async beginReconcile(): Promise<void> {
    while (!this.isFree) await this.#over;
    this.#begin("reconcile");
  }

  /** Call it only while the lock is free. */
  beginTransaction(): void {
    if (!this.isFree) throw new Error(`a ${this.#holder} holds the lock`);
    this.#begin("transaction");
  }

  end(): void {
    this.#holder = "none";
    this.#end();
  }

  #begin(holder: "reconcile" | "transaction"): void {
    this.#holder = holder;
    this.#over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }
}
