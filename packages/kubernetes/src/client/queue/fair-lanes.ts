/** A queue with lanes that take turns, so that a lane with many keys delays itself and not the others. */
export class FairLanes<Key> {
  /** In turn order: the first lane is next. */
  readonly #lanes = new Map<string, Map<string, Key>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether it was not queued already. */
  add(lane: string, id: string, key: Key): boolean {
    const waiting = this.#lanes.get(lane) ?? new Map<string, Key>();
    if (waiting.has(id)) return false;
    waiting.set(id, key);
    this.#lanes.set(lane, waiting);
    this.#size += 1;
    return true;
  }

  /** The next key by turn; undefined when the queue is empty. */
  take(): { readonly id: string; readonly key: Key } | undefined {
    for (const [lane, waiting] of this.#lanes) {
      this.#lanes.delete(lane);
      for (const [id, key] of waiting) {
        waiting.delete(id);
        this.#size -= 1;
        if (waiting.size > 0) this.#lanes.set(lane, waiting); // to the end: the other lanes come first
        return { id, key };
      }
    }
    return undefined;
  }

  clear(): void {
    this.#lanes.clear();
    this.#size = 0;
  }
}
