const slackMax = 1_024;

/** Entries in order of revision: added at the end, removed from the front. */
export class RevisionQueue<Entry extends { readonly revision: number }> {
  #entries: (Entry | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#entries.length - this.#head;
  }

  get first(): Entry | undefined {
    return this.#entries[this.#head];
  }

  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  shift(): Entry | undefined {
    const first = this.#entries[this.#head];
    if (first === undefined) return undefined;
    // Entries are released at once; compacting the array pays off once half of it is free.
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > slackMax && this.#head * 2 > this.#entries.length) this.#compactArray();
    return first;
  }

  /** The entries after a revision; a copy, so that the queue may change while they are read. */
  after(revision: number): readonly Entry[] {
    return this.#entries.slice(this.#indexAfter(revision)) as Entry[];
  }

  /** The first entry after a revision. */
  firstAfter(revision: number): Entry | undefined {
    return this.#entries[this.#indexAfter(revision)];
  }

  #indexAfter(revision: number): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] as Entry).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compactArray(): void {
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }
}
