const slackMax = 1_024;

/** Entries in order of revision: added at the end, forgotten from the front. */
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
    // The forgotten are let go of now; moving the rest, to have their places back, pays once as many are gone as are left.
    this.#entries[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > slackMax && this.#head * 2 > this.#entries.length) this.#dropForgotten();
    return first;
  }

  /** The entries after a revision; a copy, so that the queue may change while they are read. */
  after(revision: number): readonly Entry[] {
    return this.#entries.slice(this.#placeAfter(revision)) as Entry[];
  }

  /** The first entry after a revision. */
  firstAfter(revision: number): Entry | undefined {
    return this.#entries[this.#placeAfter(revision)];
  }

  #placeAfter(revision: number): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] as Entry).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #dropForgotten(): void {
    this.#entries = this.#entries.slice(this.#head);
    this.#head = 0;
  }
}
