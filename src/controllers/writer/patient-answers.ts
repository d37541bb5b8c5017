/** How long an answer waits for company that nobody waits for. */
const patienceMs = 50;

/** So many are company enough for each other. */
export const crowdMin = 8;

/**
 * Claims whose promises are durable, and whose grant nobody waits for any more: whoever did was told of the promises. They are
 * answered many at a time. Alone, each would stand in the way of what somebody does wait for, and cost more.
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

  /** When they are to be given. */
  get dueMs(): number {
    if (this.#uids.size === 0) return Number.POSITIVE_INFINITY;
    return this.#uids.size >= crowdMin ? this.#sinceMs : this.#sinceMs + patienceMs;
  }

  /** All of them, if they are wanted, or many, or it is time; none of them else. */
  take(isWanted: boolean, nowMs: number): readonly string[] {
    if (!isWanted && nowMs < this.dueMs) return [];
    const uids = [...this.#uids];
    this.#uids.clear();
    return uids;
  }

  clear(): void {
    this.#uids.clear();
  }
}
