interface Trouble {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly times: number;
}

/** Whatever is gone is known to be by everybody after this long. */
const passesMs = 10_000;
/** Somebody who tries again comes more often than this in that time; what comes now and then is not the same trouble. */
const timesMin = 6;
/** Nobody waits longer than this before they try again; what did not come again in so long has passed. */
const forgottenMs = 2 * 60_000;
const troublesMax = 1_000;

/** Tells troubles that last from those that pass by themselves. */
export class LastingTroubles {
  /** In the order in which they came last. */
  readonly #troubles = new Map<string, Trouble>();

  /** It came, perhaps again: whether it lasts. */
  lasts(key: string, nowMs: number): boolean {
    this.#forgetOld(nowMs);
    const { firstMs, times } = this.#troubles.get(key) ?? { firstMs: nowMs, times: 0 };
    this.#troubles.delete(key);
    this.#troubles.set(key, { firstMs, lastMs: nowMs, times: times + 1 });
    return nowMs - firstMs >= passesMs && times >= timesMin;
  }

  #forgetOld(nowMs: number): void {
    for (const [key, { lastMs }] of this.#troubles) {
      if (nowMs - lastMs < forgottenMs && this.#troubles.size < troublesMax) return;
      this.#troubles.delete(key);
    }
  }
}
