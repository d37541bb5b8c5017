/** One write to the log: history begins at `compacted` from now on, and these records are obsolete. */
export interface CompactionStep {
  readonly compacted: number;
  readonly obsolete: readonly number[];
}

/**
 * Records that history has dropped and the log has not, grouped into steps that are small enough not to delay writes.
 */
export class Compaction {
  readonly #stepCount: number;
  #waiting: CompactionStep[] = [];
  #due = false;
  #paused = false;

  constructor(stepCount: number) {
    this.#stepCount = stepCount;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Steps come in order. */
  add(step: CompactionStep): void {
    this.#waiting.push(step);
  }

  /** Also writes incomplete steps, and retries failed ones. */
  flush(): void {
    this.#due = true;
    this.#paused = false;
  }

  next(): CompactionStep | undefined {
    if (this.#paused || (!this.#due && this.#waiting.length < this.#stepCount)) return undefined;
    const taken = this.#waiting.splice(0, this.#stepCount);
    const last = taken.at(-1);
    if (last === undefined || this.#waiting.length === 0) this.#due = false;
    return last && { compacted: last.compacted, obsolete: taken.flatMap(({ obsolete }) => obsolete) };
  }

  /** There was no space for a step; it waits for the next flush. */
  postpone(step: CompactionStep): void {
    this.#waiting.unshift(step);
    this.#paused = true;
  }
}
