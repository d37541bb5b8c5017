/**
 * Buckets that this writer has written since recovery found an incomplete attempt, by the UID of the claim. A swap of a
 * fenced bucket that another writer prepared before will conflict, so that the attempt cannot be completed there.
 */
export class Fences {
  readonly #byClaim = new Map<string, Set<string>>();

  /** The types fenced for a claim. From this call on, bucket writes fence for it. */
  of(uid: string): ReadonlySet<string> {
    const fenced = this.#byClaim.get(uid) ?? new Set<string>();
    this.#byClaim.set(uid, fenced);
    return fenced;
  }

  drop(uid: string): void {
    this.#byClaim.delete(uid);
  }

  /** This writer has written the bucket of a type. */
  raise(type: string): void {
    for (const fenced of this.#byClaim.values()) fenced.add(type);
  }

  /** Another client may have written the bucket of a type. */
  lower(type: string): void {
    for (const fenced of this.#byClaim.values()) fenced.delete(type);
  }
}
