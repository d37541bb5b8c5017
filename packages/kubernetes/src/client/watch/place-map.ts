import type { ObjectPlace } from "./object-place.ts";

type Named<Value> = Map<string, Value>;

/**
 * Values by place. Names are those of the objects themselves, and planes and namespaces are there once: a text put
 * together from all three, for each of a million objects, would take more room than what is kept of them.
 */
export class PlaceMap<Value> {
  readonly #planes = new Map<string, Map<string, Named<Value>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The planes that there is something in. */
  get planes(): Iterable<string> {
    return this.#planes.keys();
  }

  get({ plane, namespace, name }: ObjectPlace): Value | undefined {
    return this.#planes.get(plane)?.get(namespace)?.get(name);
  }

  set({ plane, namespace, name }: ObjectPlace, value: Value): void {
    const named = this.#planes.get(plane)?.get(namespace) ?? this.#newNamed(plane, namespace);
    const before = named.size;
    named.set(name, value);
    this.#size += named.size - before;
  }

  /** Returns whether there was anything to delete. */
  delete({ plane, namespace, name }: ObjectPlace): boolean {
    const namespaces = this.#planes.get(plane);
    const named = namespaces?.get(namespace);
    if (namespaces === undefined || named?.delete(name) !== true) return false;
    this.#size -= 1;
    if (named.size === 0) namespaces.delete(namespace);
    if (namespaces.size === 0) this.#planes.delete(plane);
    return true;
  }

  /** What comes while they are read may be among them, and what goes is not. */
  *entries(): Generator<readonly [ObjectPlace, Value]> {
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
