/**
 * Claims that appeared a short time ago. Their object may not be stored yet: when an object grows, its additional claim is
 * granted before the larger object is stored.
 */
export class RecentClaims {
  readonly #elapsedMs: () => number;
  readonly #recentMs: number;
  readonly #startedMs: number;
  readonly #addedMs = new Map<string, number>();

  constructor(elapsedMs: () => number, recentMs: number) {
    this.#elapsedMs = elapsedMs;
    this.#recentMs = recentMs;
    this.#startedMs = elapsedMs();
  }

  /** Not for claims of the initial list: they count as recent from the start of this process. */
  add(uid: string): void {
    const nowMs = this.#elapsedMs();
    for (const [earlier, atMs] of this.#addedMs) {
      if (nowMs - atMs < this.#recentMs) break;
      this.#addedMs.delete(earlier);
    }
    this.#addedMs.set(uid, nowMs);
  }

  /** How long its object may still appear; 0 for a claim that is not recent. */
  recentForMs(uid: string): number {
    const ageMs = this.#elapsedMs() - (this.#addedMs.get(uid) ?? this.#startedMs);
    return Math.max(0, this.#recentMs - ageMs);
  }
}
