import type { ObjectKey } from "../object-key.ts";
import { compareKeys } from "./key-order.ts";

/** Where an object is, but for its name. */
type Space = Pick<ObjectKey, "plane" | "namespace">;

/**
 * Keys of one resource in order. Names and spaces are kept apart from objects: a search goes through memory that nothing
 * else has touched lately, and going by way of the objects would be several more places of it for each step.
 */
export class SortedKeys {
  readonly #names: string[];
  /** Neighbours in the same namespace share one. */
  readonly #spaces: Space[];

  constructor(names: string[] = [], spaces: Space[] = []) {
    this.#names = names;
    this.#spaces = spaces;
  }

  get size(): number {
    return this.#names.length;
  }

  copy(): SortedKeys {
    return new SortedKeys(this.#names.slice(), this.#spaces.slice());
  }

  /** Where the first key at or after this one is. `isPlain` says that JavaScript orders any key and this one right. */
  lowerBound(key: ObjectKey, isPlain: boolean): number {
    if (isPlain && this.#isHome(key)) return this.#lowerBoundOf(key.name);
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(middle, key, isPlain)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the key at a position, if there is one, is this one. */
  isAt(position: number, key: ObjectKey): boolean {
    return this.#names[position] === key.name && isSame(this.#spaces[position] as Space, key);
  }

  insert(position: number, key: ObjectKey): void {
    this.#spaces.splice(position, 0, this.#spaceFor(key, position));
    this.#names.splice(position, 0, key.name);
  }

  replace(position: number, key: ObjectKey): void {
    this.#spaces[position] = this.#spaceFor(key, position);
    this.#names[position] = key.name;
  }

  remove(position: number): void {
    this.#names.splice(position, 1);
    this.#spaces.splice(position, 1);
  }

  /** Takes out all from a position on. */
  splitAt(position: number): SortedKeys {
    return new SortedKeys(this.#names.splice(position), this.#spaces.splice(position));
  }

  /** These, and then those after them. */
  joinedWith(after: SortedKeys): SortedKeys {
    return new SortedKeys(this.#names.concat(after.#names), this.#spaces.concat(after.#spaces));
  }

  /** Where all are in one namespace, names alone tell: that takes a fraction of the time. */
  #lowerBoundOf(name: string): number {
    const names = this.#names;
    let low = 0;
    let high = names.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((names[middle] as string) < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isBefore(position: number, key: ObjectKey, isPlain: boolean): boolean {
    const name = this.#names[position] as string;
    const { plane, namespace } = this.#spaces[position] as Space;
    if (!isPlain) return compareKeys({ plane, resource: key.resource, namespace, name }, key) < 0;
    if (plane !== key.plane) return plane < key.plane;
    return namespace === key.namespace ? name < key.name : namespace < key.namespace;
  }

  /** Whether all are in the namespace of a key: they are in order, so if the first and the last are. */
  #isHome(key: ObjectKey): boolean {
    const [first, last] = [this.#spaces[0], this.#spaces[this.size - 1]];
    return first !== undefined && last !== undefined && isSame(first, key) && (first === last || isSame(last, key));
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
