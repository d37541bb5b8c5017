import type { ResourceClaim } from "../core/resources/resource-claim.ts";
import { Waiter } from "./waiter.ts";

/** How many of the last promises are remembered: one may be known before anybody follows its claim. */
const promisedMax = 10_000;

/** Whether one who waits for a claim has made it, or has come to one that was there. */
export type FollowedBy = "maker" | "joiner";

/** Those who wait for claims of one plane: by name from the beginning, and by UID once that is known. */
export class Waiters {
  readonly #byName = new Map<string, Set<Waiter>>();
  readonly #byUid = new Map<string, Set<Waiter>>();
  /** The last claims that were promised, by UID. */
  readonly #promised = new Set<string>();

  get count(): number {
    let count = 0;
    for (const waiters of this.#byName.values()) count += waiters.size;
    return count;
  }

  get all(): readonly Waiter[] {
    return [...this.#byName.values()].flatMap((waiters) => [...waiters]);
  }

  /** Undefined when nobody waits for a claim of that name. */
  named(namespace: string, name: string): readonly Waiter[] | undefined {
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
    remove(this.#byUid, waiter.followed ?? "", waiter);
  }

  /**
   * Only whoever made the claim goes by a promise of before: what was promised to a claim that was there already may have been
   * taken back since, by a full disk.
   */
  follow(waiter: Waiter, claim: ResourceClaim, by: FollowedBy): void {
    const { uid = "" } = claim.metadata;
    waiter.follow(claim);
    if (by === "maker" && this.#promised.has(uid)) waiter.end({ result: "granted" });
    add(this.#byUid, uid, waiter);
  }

  /** Whether anybody waited for it. */
  promised(uid: string): boolean {
    const waiters = this.#byUid.get(uid) ?? new Set();
    for (const waiter of waiters) waiter.end({ result: "granted" });
    this.#remember(uid);
    return waiters.size > 0;
  }

  #remember(uid: string): void {
    this.#promised.add(uid);
    if (this.#promised.size <= promisedMax) return;
    const [oldest = ""] = this.#promised;
    this.#promised.delete(oldest);
  }
}

/** No part of it can hold a slash. */
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
