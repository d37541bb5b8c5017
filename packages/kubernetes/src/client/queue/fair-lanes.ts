/** Keys that wait, in lanes that take turns: whoever asks for much waits behind itself, not before everybody else. */
export class FairLanes<Key> {
  /** The lane whose turn it is comes first. */
  readonly #lanes = new Map<string, Map<string, Key>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Whether it was not waiting already. */
  add(lane: string, id: string, key: Key): boolean {
    const waiting = this.#lanes.get(lane) ?? new Map<string, Key>();
    if (waiting.has(id)) return false;
    waiting.set(id, key);
    this.#lanes.set(lane, waiting);
    this.#size += 1;
    return true;
  }

  /** The next one whose turn it is; undefined when nobody waits. */
  take(): { readonly id: string; readonly key: Key } | undefined {
    for (const [lane, waiting] of this.#lanes) {
      this.#lanes.delete(lane);
      for (const [id, key] of waiting) {
        waiting.delete(id);
        this.#size -= 1;
        if (waiting.size > 0) this.#lanes.set(lane, waiting); // to the end: the others come first
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
