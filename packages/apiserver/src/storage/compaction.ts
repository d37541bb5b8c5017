/** One write to the log: from here on history begins at `compacted`, and these records are not needed. */
export interface CompactionStep {
  readonly compacted: number;
  readonly obsolete: readonly number[];
}

/** What history has forgotten and the log has not, gathered into steps small enough not to hold up writes. */
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

  /** Small rests are written too, and what failed is tried again. */
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

  /** There was no room for a step; it waits for the next flush. */
  postpone(step: CompactionStep): void {
    this.#waiting.unshift(step);
    this.#paused = true;
  }
}
