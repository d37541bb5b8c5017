/**
 * Pages that we have written since promises to a claim were found which no attempt completed, by the UID of the claim: a
 * swap of such a page that was prepared before cannot succeed any more.
 */
export class Fences {
  readonly #byClaim = new Map<string, Set<string>>();

  /** From now on pages are fenced for this claim as they are written. */
  of(uid: string): ReadonlySet<string> {
    const fenced = this.#byClaim.get(uid) ?? new Set<string>();
    this.#byClaim.set(uid, fenced);
    return fenced;
  }

  drop(uid: string): void {
    this.#byClaim.delete(uid);
  }

  /** We have written a page. */
  raise(type: string): void {
    for (const fenced of this.#byClaim.values()) fenced.add(type);
  }

  /** Somebody else may have written a page. */
  lower(type: string): void {
    for (const fenced of this.#byClaim.values()) fenced.delete(type);
  }
}
