/**
 * Claims that are new to us. What a new claim is for may be on its way to the store still: a claim that grows an object
 * is granted before the larger object is stored.
 */
export class Arrivals {
  readonly #elapsedMs: () => number;
  readonly #youngMs: number;
  readonly #beganMs: number;
  readonly #arrived = new Map<string, number>();

  constructor(elapsedMs: () => number, youngMs: number) {
    this.#elapsedMs = elapsedMs;
    this.#youngMs = youngMs;
    this.#beganMs = elapsedMs();
  }

  /** Not to be told of claims that were there when we began: they are as old to us as we are. */
  arrived(uid: string): void {
    const nowMs = this.#elapsedMs();
    for (const [earlier, atMs] of this.#arrived) {
      if (nowMs - atMs < this.#youngMs) break;
      this.#arrived.delete(earlier);
    }
    this.#arrived.set(uid, nowMs);
  }

  /** How long what it is for may still come. */
  youngForMs(uid: string): number {
    const ageMs = this.#elapsedMs() - (this.#arrived.get(uid) ?? this.#beganMs);
    return Math.max(0, this.#youngMs - ageMs);
  }
}
