import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./object-store.ts";

/**
 * The objects of one resource that were asked for or written last, by name: who writes an object asks for it several
 * times, and searching an order goes through memory that nobody else has touched lately. Always newest versions. Of
 * objects that share a name, in several namespaces, one is found here.
 */
export class RecentObjects {
  readonly #halfMax: number;
  #older = new Map<string, StoredObject>();
  #newer = new Map<string, StoredObject>();

  constructor(countMax: number) {
    this.#halfMax = countMax / 2;
  }

  get({ plane, namespace, name }: ObjectKey): StoredObject | undefined {
    const found = this.#newer.get(name) ?? this.#older.get(name);
    return found?.key.namespace === namespace && found.key.plane === plane ? found : undefined;
  }

  set(newest: StoredObject): void {
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
