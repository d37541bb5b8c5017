import type { PlaneObjectKey } from "./plane-object-key.ts";

type Named<Value> = Map<string, Value>;

/**
 * A map with plane, namespace and name as key. Nested, because one combined string for each of a million objects would
 * take more memory than the cached records.
 */
export class PlaneObjectMap<Value> {
  readonly #planes = new Map<string, Map<string, Named<Value>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The planes with entries. */
  get planes(): Iterable<string> {
    return this.#planes.keys();
  }

  get({ plane, namespace, name }: PlaneObjectKey): Value | undefined {
    return this.#planes.get(plane)?.get(namespace)?.get(name);
  }

  set({ plane, namespace, name }: PlaneObjectKey, value: Value): void {
    const named = this.#planes.get(plane)?.get(namespace) ?? this.#newNamed(plane, namespace);
    const before = named.size;
    named.set(name, value);
    this.#size += named.size - before;
  }

  /** Returns whether there was an entry. */
  delete({ plane, namespace, name }: PlaneObjectKey): boolean {
    const namespaces = this.#planes.get(plane);
    const named = namespaces?.get(namespace);
    if (namespaces === undefined || named?.delete(name) !== true) return false;
    this.#size -= 1;
    if (named.size === 0) namespaces.delete(namespace);
    if (namespaces.size === 0) this.#planes.delete(plane);
    return true;
  }

  /** Entries added during the iteration may be included, deleted ones are not. */
  *entries(): Generator<readonly [PlaneObjectKey, Value]> {
    for (const [plane, namespaces] of this.#planes) {
      for (const [namespace, named] of namespaces) {
        for (const [name, value] of named) yield [{ plane, namespace, name }, value];
      }
    }
  }

  #newNamed(plane: string, namespace: string): Named<Value> {
    const named: Named<Value> = new Map();
    const namespaces = this.#planes.get(plane) ?? new Map<string, Named<Value>>();
    this.#planes.set(plane, namespaces);
    namespaces.set(namespace, named);
    return named;
  }
}
