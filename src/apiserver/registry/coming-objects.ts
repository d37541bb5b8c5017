/** Told that an object was to be created, and was not stored. */
type MissedListener = (plane: string, uid: string) => void;

/**
 * Objects that are being created, by UID. Whoever has a say in that may make things that belong to them before they are
 * there: such an owner is not gone, it is coming.
 */
export class ComingObjects {
  readonly #uids = new Set<string>();
  readonly #listeners = new Set<MissedListener>();

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  /** Resolves as `create` does, which is over only when everybody can see what it stored. Undefined: it stored nothing. */
  async during<Stored>(
    plane: string,
    uid: string,
    create: () => Promise<Stored | undefined>,
  ): Promise<Stored | undefined> {
    this.#uids.add(uid);
    let stored: Stored | undefined;
    try {
      stored = await create();
      return stored;
    } finally {
      this.#uids.delete(uid);
      if (stored === undefined) for (const missed of this.#listeners) missed(plane, uid);
    }
  }

  /** Returns how to stop listening. */
  onMissed(listener: MissedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
