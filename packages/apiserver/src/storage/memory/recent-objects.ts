import type { ObjectKey } from "../object-key.ts";
import type { StoredObject } from "../stored-object.ts";

/** What is known of a key: the newest version of its object, or that there is none. */
type Known = StoredObject | Missing;

export class Missing {
  readonly key: ObjectKey;

  constructor(key: ObjectKey) {
    this.key = key;
  }
}

/**
 * The objects of one resource that were asked for or written last, by name: who writes an object asks for it several
 * times, and searching an order goes through memory that nobody else has touched lately. Always newest versions. Who makes an
 * object asks for it as well, so it is also known what is not there. Of
 * objects that share a name, in several namespaces, one is found here.
 */
export class RecentObjects {
  readonly #halfMax: number;
  #older = new Map<string, Known>();
  #newer = new Map<string, Known>();

  constructor(countMax: number) {
    this.#halfMax = countMax / 2;
  }

  /** Undefined when it is not known here. */
  get({ plane, namespace, name }: ObjectKey): Known | undefined {
    const found = this.#newer.get(name) ?? this.#older.get(name);
    return found?.key.namespace === namespace && found.key.plane === plane ? found : undefined;
  }

  set(newest: Known): void {
    const { name } = newest.key;
    // What is there may be the version before, and must not be found again.
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
