import type { ObjectKey } from "../object-key.ts";
import { compareKeys } from "./key-order.ts";

/** Plane and namespace of an object. */
type NamespaceKey = Pick<ObjectKey, "plane" | "namespace">;

/**
 * The sorted keys of one resource. Names and namespaces are stored apart from objects: a search touches cold memory,
 * and each step through an object would touch several more cache lines.
 */
export class SortedKeys {
  readonly #names: string[];
  /** Neighbours in the same namespace share one. */
  readonly #namespaces: NamespaceKey[];

  constructor(names: string[] = [], spaces: NamespaceKey[] = []) {
    this.#names = names;
    this.#namespaces = spaces;
  }

  get size(): number {
    return this.#names.length;
  }

  copy(): SortedKeys {
    return new SortedKeys(this.#names.slice(), this.#namespaces.slice());
  }

  /**
   * The position of the first key at or after this one. `isPlain` says that JavaScript's comparison is correct for this
   * key.
   */
  lowerBound(key: ObjectKey, isPlain: boolean): number {
    if (isPlain && this.#isSingleNamespace(key)) return this.#lowerBoundOf(key.name);
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isBefore(middle, key, isPlain)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Whether the key at a position is this one. */
  isAt(position: number, key: ObjectKey): boolean {
    return this.#names[position] === key.name && isSame(this.#namespaces[position] as NamespaceKey, key);
  }

  insert(position: number, key: ObjectKey): void {
    this.#namespaces.splice(position, 0, this.#namespaceFor(key, position));
    this.#names.splice(position, 0, key.name);
  }

  replace(position: number, key: ObjectKey): void {
    this.#namespaces[position] = this.#namespaceFor(key, position);
    this.#names[position] = key.name;
  }

  remove(position: number): void {
    this.#names.splice(position, 1);
    this.#namespaces.splice(position, 1);
  }

  /** Moves all keys from a position on into a new list. */
  splitAt(position: number): SortedKeys {
    return new SortedKeys(this.#names.splice(position), this.#namespaces.splice(position));
  }

  /** A list with these keys followed by others. */
  joinedWith(after: SortedKeys): SortedKeys {
    return new SortedKeys(this.#names.concat(after.#names), this.#namespaces.concat(after.#namespaces));
  }

  /** If all keys are in one namespace, comparing names suffices, which takes a fraction of the time. */
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
    const { plane, namespace } = this.#namespaces[position] as NamespaceKey;
    if (!isPlain) return compareKeys({ plane, resource: key.resource, namespace, name }, key) < 0;
    if (plane !== key.plane) return plane < key.plane;
    return namespace === key.namespace ? name < key.name : namespace < key.namespace;
  }

  /** Whether all keys are in the namespace of a key: they are sorted, so the first and the last decide. */
  #isSingleNamespace(key: ObjectKey): boolean {
    const [first, last] = [this.#namespaces[0], this.#namespaces[this.size - 1]];
    return first !== undefined && last !== undefined && isSame(first, key) && (first === last || isSame(last, key));
  }

  #namespaceFor({ plane, namespace }: ObjectKey, position: number): NamespaceKey {
    const own = { plane, namespace };
    const neighbours = [this.#namespaces[position - 1], this.#namespaces[position]];
    return neighbours.find((space) => space !== undefined && isSame(space, own)) ?? own;
  }
}

function isSame(one: NamespaceKey, other: NamespaceKey): boolean {
  return one.namespace === other.namespace && one.plane === other.plane;
}
