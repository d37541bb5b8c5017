import { compareKeys } from "./key-order.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./object-store.ts";

/** Where an object is, but for its name. */
type Space = Pick<ObjectKey, "plane" | "namespace">;

/**
 * A run of objects in order. Where they are and what their names are is kept beside them: a search goes through memory that
 * nobody has touched for long, and going by way of the objects would be three more places of it for each step.
 */
export class SortedChunk {
  readonly objects: StoredObject[];
  readonly #names: string[];
  /** Neighbours in the same namespace share one. */
  readonly #spaces: Space[];
  /** The snapshots that were there when it was made: whoever is older than the next one copies it before a change. */
  readonly epoch: number;

  private constructor(objects: StoredObject[], names: string[], spaces: Space[], epoch: number) {
    this.objects = objects;
    this.#names = names;
    this.#spaces = spaces;
    this.epoch = epoch;
  }

  static empty(epoch: number): SortedChunk {
    return new SortedChunk([], [], [], epoch);
  }

  get size(): number {
    return this.#names.length;
  }

  copy(epoch: number): SortedChunk {
    return new SortedChunk(this.objects.slice(), this.#names.slice(), this.#spaces.slice(), epoch);
  }

  /** Where the first object at or after the key is. `isPlain` says that JavaScript orders keys and this one right. */
  lowerBound(key: ObjectKey, isPlain: boolean): number {
    let low = 0;
    let high = this.#names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(middle, key, isPlain)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether its first object, which it has, is at the key or before it. */
  isFrom(key: ObjectKey, isPlain: boolean): boolean {
    return this.#isBefore(0, key, isPlain) || this.isAt(0, key);
  }

  /** Whether the object at a position, if there is one, has this key. */
  isAt(position: number, key: ObjectKey): boolean {
    return this.#names[position] === key.name && isSame(this.#spaces[position] as Space, key);
  }

  insert(position: number, stored: StoredObject): void {
    this.#spaces.splice(position, 0, this.#spaceFor(stored.key, position));
    this.objects.splice(position, 0, stored);
    this.#names.splice(position, 0, stored.key.name);
  }

  /** Takes out one object. */
  remove(position: number): void {
    this.objects.splice(position, 1);
    this.#names.splice(position, 1);
    this.#spaces.splice(position, 1);
  }

  /** Takes out all objects from a position on, and makes a chunk of them. */
  splitAt(position: number, epoch: number): SortedChunk {
    const [objects, names] = [this.objects.splice(position), this.#names.splice(position)];
    return new SortedChunk(objects, names, this.#spaces.splice(position), epoch);
  }

  /** Its objects, and then those of the one after it. */
  joinedWith(after: SortedChunk, epoch: number): SortedChunk {
    const [objects, names] = [this.objects.concat(after.objects), this.#names.concat(after.#names)];
    return new SortedChunk(objects, names, this.#spaces.concat(after.#spaces), epoch);
  }

  /** Hot: JavaScript compares plain texts in a fraction of the time. */
  #isBefore(position: number, key: ObjectKey, isPlain: boolean): boolean {
    const name = this.#names[position] as string;
    const { plane, namespace } = this.#spaces[position] as Space;
    if (!isPlain) return compareKeys({ plane, resource: key.resource, namespace, name }, key) < 0;
    if (plane !== key.plane) return plane < key.plane;
    return namespace === key.namespace ? name < key.name : namespace < key.namespace;
  }

  #spaceFor({ plane, namespace }: ObjectKey, position: number): Space {
    const own = { plane, namespace };
    const neighbours = [this.#spaces[position - 1], this.#spaces[position]];
    return neighbours.find((space) => space !== undefined && isSame(space, own)) ?? own;
  }
}

function isSame(one: Space, other: Space): boolean {
  return one.namespace === other.namespace && one.plane === other.plane;
}
