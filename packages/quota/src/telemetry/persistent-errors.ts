interface ErrorHistory {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly count: number;
}

/** By this time all controllers have learned of a deletion. */
const transientMsMax = 10_000;
/** Retries report an error at least this often in that time. Rarer reports have separate causes. */
const countMin = 6;
/** Longer than the longest retry delay: an error that was not reported for this long is over. */
const forgottenMs = 2 * 60_000;
const errorsMax = 1_000;

/** Distinguishes errors that persist from those that pass by themselves. */
export class PersistentErrors {
  /** In the order of their last report. */
  readonly #errors = new Map<string, ErrorHistory>();

  /** Records a report of the error, and returns whether it persists. */
  record(key: string, nowMs: number): boolean {
    this.#forgetOld(nowMs);
    const { firstMs, count } = this.#errors.get(key) ?? { firstMs: nowMs, count: 0 };
    this.#errors.delete(key);
    this.#errors.set(key, { firstMs, lastMs: nowMs, count: count + 1 });
    return nowMs - firstMs >= transientMsMax && count >= countMin;
  }

  #forgetOld(nowMs: number): void {
    for (const [key, { lastMs }] of this.#errors) {
      if (nowMs - lastMs < forgottenMs && this.#errors.size < errorsMax) return;
      this.#errors.delete(key);
    }
  }
}
