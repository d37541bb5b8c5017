import { compareBytes, compareKeys } from "./key-order.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./object-store.ts";

/**
 * A run of objects in order. Their names are kept beside them: a search goes through memory that nobody has touched for
 * long, and going by way of the objects would be three more places of it for each step.
 */
export class SortedChunk {
  readonly objects: StoredObject[];
  readonly #names: string[];
  /** The key of one of them, when all are in the same plane and namespace. */
  #home: ObjectKey | undefined;
  /** The snapshots that were there when it was made: whoever is older than the next one copies it before a change. */
  readonly epoch: number;

  private constructor(objects: StoredObject[], names: string[], epoch: number) {
    this.objects = objects;
    this.#names = names;
    this.epoch = epoch;
    this.#home = homeOf(objects);
  }

  static empty(epoch: number): SortedChunk {
    return new SortedChunk([], [], epoch);
  }

  get size(): number {
    return this.#names.length;
  }

  copy(epoch: number): SortedChunk {
    return new SortedChunk(this.objects.slice(), this.#names.slice(), epoch);
  }

  /** Where the first object at or after the key is. */
  lowerBound(key: ObjectKey): number {
    let low = 0;
    let high = this.#names.length;
    const isHome = this.#isHome(key);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, key, isHome) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether its first object, which it has, is at the key or before it. */
  isFrom(key: ObjectKey): boolean {
    return this.#compare(0, key, this.#isHome(key)) <= 0;
  }

  /** Whether the object at a position, if there is one, has this key. */
  isAt(position: number, key: ObjectKey): boolean {
    return position < this.size && this.#compare(position, key, this.#isHome(key)) === 0;
  }

  insert(position: number, stored: StoredObject): void {
    if (this.size === 0) this.#home = stored.key;
    else if (!this.#isHome(stored.key)) this.#home = undefined;
    this.objects.splice(position, 0, stored);
    this.#names.splice(position, 0, stored.key.name);
  }

  /** Takes out one object. */
  remove(position: number): void {
    this.objects.splice(position, 1);
    this.#names.splice(position, 1);
  }

  /** Takes out all objects from a position on, and makes a chunk of them. */
  splitAt(position: number, epoch: number): SortedChunk {
    return new SortedChunk(this.objects.splice(position), this.#names.splice(position), epoch);
  }

  /** Its objects, and then those of the one after it. */
  joinedWith(after: SortedChunk, epoch: number): SortedChunk {
    return new SortedChunk([...this.objects, ...after.objects], [...this.#names, ...after.#names], epoch);
  }

  #compare(position: number, key: ObjectKey, isHome: boolean): number {
    if (isHome) return compareBytes(this.#names[position] as string, key.name);
    return compareKeys((this.objects[position] as StoredObject).key, key);
  }

  #isHome({ plane, namespace }: ObjectKey): boolean {
    return this.#home !== undefined && this.#home.namespace === namespace && this.#home.plane === plane;
  }
}

/** In order: where the first and the last are, all are. */
function homeOf(objects: readonly StoredObject[]): ObjectKey | undefined {
  const [first, last] = [objects[0]?.key, objects.at(-1)?.key];
  return first?.namespace === last?.namespace && first?.plane === last?.plane ? first : undefined;
}
