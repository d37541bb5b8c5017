/** Collects failures of independent steps, so that one does not stop the others; the first is thrown at the end. */
export class FailureCollector {
  #first: { readonly error: unknown } | undefined;

  /** Resolves when the work has settled, even if it rejected. */
  async collect(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#first ??= { error };
    }
  }

  throwFirst(): void {
    if (this.#first !== undefined) throw this.#first.error;
  }
}
