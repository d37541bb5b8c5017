import { Waiter } from "./waiter.ts";

/** The waiters for claims of one control plane, by namespace and name. */
export class Waiters {
  readonly #byName = new Map<string, Set<Waiter>>();

  get count(): number {
    let count = 0;
    for (const waiters of this.#byName.values()) count += waiters.size;
    return count;
  }

  get all(): readonly Waiter[] {
    return [...this.#byName.values()].flatMap((waiters) => [...waiters]);
  }

  /** Undefined when there is no waiter for a claim of that name. */
  waitingFor(namespace: string, name: string): readonly Waiter[] | undefined {
    const waiters = this.#byName.get(keyOf(namespace, name));
    return waiters === undefined ? undefined : [...waiters];
  }

  has(waiter: Waiter): boolean {
    return this.#byName.get(keyOf(waiter.wanted.namespace, waiter.wanted.name))?.has(waiter) === true;
  }

  join(namespace: string, name: string, candidate: string): Waiter {
    const waiter = new Waiter({ namespace, name, candidate });
    add(this.#byName, keyOf(namespace, name), waiter);
    return waiter;
  }

  leave(waiter: Waiter): void {
    remove(this.#byName, keyOf(waiter.wanted.namespace, waiter.wanted.name), waiter);
  }
}

/** Unambiguous, because neither part can contain a slash. */
function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function add(waiters: Map<string, Set<Waiter>>, key: string, waiter: Waiter): void {
  const own = waiters.get(key) ?? new Set<Waiter>();
  own.add(waiter);
  waiters.set(key, own);
}

function remove(waiters: Map<string, Set<Waiter>>, key: string, waiter: Waiter): void {
  const own = waiters.get(key);
  own?.delete(waiter);
  if (own?.size === 0) waiters.delete(key);
}
