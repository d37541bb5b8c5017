/** Waits for all, whatever becomes of each; then fails if one of them failed. Nothing is left under way. */
export async function allOf(work: readonly Promise<unknown>[]): Promise<void> {
  if (work.length === 0) return;
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** What failed, to be told when everything else is done. */
export class Deferred {
  #first: { readonly error: unknown } | undefined;

  /** Resolves when the work is over, whatever became of it. */
  async of(work: Promise<unknown>): Promise<void> {
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
