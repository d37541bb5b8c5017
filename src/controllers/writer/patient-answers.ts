/** How long an answer waits for company that nobody waits for. */
const patienceMs = 50;

/**
 * Claims whose promises are durable, and whose grant nobody waits for any more: whoever did was told of the promises. Their
 * answers go to the disk together with the next page. Alone, each would stand in the way of what somebody does wait for.
 */
export class PatientAnswers {
  readonly #uids = new Set<string>();
  #sinceMs = 0;

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  add(uids: Iterable<string>, nowMs: number): void {
    if (this.#uids.size === 0) this.#sinceMs = nowMs;
    for (const uid of uids) this.#uids.add(uid);
  }

  /** When they are to be given whether anything else is written or not. */
  get dueMs(): number {
    return this.#uids.size === 0 ? Number.POSITIVE_INFINITY : this.#sinceMs + patienceMs;
  }

  /** All of them, if there is company or it is time; none of them else. */
  take(isCompany: boolean, nowMs: number): readonly string[] {
    if (!isCompany && nowMs < this.dueMs) return [];
    const uids = [...this.#uids];
    this.#uids.clear();
    return uids;
  }

  clear(): void {
    this.#uids.clear();
  }
}
