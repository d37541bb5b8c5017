import type { ObjectKey } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";

/** A cached lookup: the latest version of the object, or that there is none. */
type CachedLookup = StoredObject | Missing;

export class Missing {
  readonly key: ObjectKey;

  constructor(key: ObjectKey) {
    this.key = key;
  }
}

/**
 * A cache of the objects of one resource that were read or written last, by name: a writer reads an object several
 * times, and a binary search touches cold memory. Holds latest versions only. Misses are cached as well, because a
 * create looks the object up. Of objects with the same name in several namespaces, one is cached.
 */
export class RecentObjects {
  readonly #halfMax: number;
  #older = new Map<string, CachedLookup>();
  #newer = new Map<string, CachedLookup>();

  constructor(countMax: number) {
    this.#halfMax = countMax / 2;
  }

  /** Undefined when it is not cached. */
  get({ plane, namespace, name }: ObjectKey): CachedLookup | undefined {
    const found = this.#newer.get(name) ?? this.#older.get(name);
    return found?.key.namespace === namespace && found.key.plane === plane ? found : undefined;
  }

  set(newest: CachedLookup): void {
    const { name } = newest.key;
    // The older generation may have the previous version, which must not be found again.
    this.#older.delete(name);
    this.#newer.set(name, newest);
    if (this.#newer.size < this.#halfMax) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  delete({ name }: ObjectKey): void {
    this.#older.delete(name);
    this.#newer.delete(name);
  }
}
