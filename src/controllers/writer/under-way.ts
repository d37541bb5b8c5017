/**
 * Claims that are being stored as granted while their desk goes on. What was promised to them stays promised until that is
 * done, and nobody else decides about them.
 */
export class UnderWay {
  readonly #uids = new Set<string>();
  #work: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  get isNothing(): boolean {
    return this.#uids.size === 0;
  }

  /** Whether something failed that nobody has heard of yet. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * The work says whether nothing is left to do about a claim. If it does not, or fails, `again` is called; the next who
   * waits for all of it hears why.
   */
  add(uid: string, work: Promise<boolean>, again: () => void): void {
    this.#uids.add(uid);
    const before = this.#work;
    this.#work = work
      .catch((error: unknown) => {
        this.#failure ??= { error };
        return false;
      })
      .then((isDone) => {
        this.#uids.delete(uid);
        if (!isDone) again();
        return before;
      });
  }

  /** Settles when nothing is under way; throws if any of it failed, once. */
  async over(): Promise<void> {
    while (!this.isNothing) await this.#work;
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }
}
