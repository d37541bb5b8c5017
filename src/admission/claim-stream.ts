import { parseResourceClaim, type ResourceClaim, resourceClaimDefinition } from "../core/resources/resource-claim.ts";
import type { Random } from "../kube/backoff.ts";
import type { KubeClient } from "../kube/client/kube-client.ts";
import { Follower, type Following } from "../kube/watch/follower.ts";
import { sourceOf } from "../kube/watch/object-source.ts";
import type { Clock } from "../protocol/clock.ts";
import { isJsonObject, type JsonObject, ownValue } from "../protocol/json-value.ts";
import type { StreamListener } from "./stream-listener.ts";
import { Waiter } from "./waiter.ts";

export interface ClaimStreamOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (error: unknown) => void;
  readonly told: StreamListener;
}

const promisedMax = 10_000;

/**
 * What happens to claims of one plane from now on, told to those who wait for one of them. Nothing is kept of any other
 * claim. When the stream had to start over, nobody knows what was missed: every claim that is waited for is read once.
 */
export class ClaimStream implements Following {
  readonly #options: ClaimStreamOptions;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #followers = new Map<string, Set<Waiter>>();
  /** The last claims that were promised, by UID. */
  readonly #promised = new Set<string>();
  readonly #stopped = new AbortController();
  readonly #running: Promise<void>;
  #announceOpen: () => void = () => undefined;
  #isOpen = false;
  /** Resolves when everything that happens from then on is told. */
  readonly open: Promise<void>;

  constructor(options: ClaimStreamOptions) {
    this.#options = options;
    const { client, clock, random } = options;
    this.open = new Promise((resolve) => {
      this.#announceOpen = resolve;
    });
    const source = sourceOf(client.resource(resourceClaimDefinition, parseResourceClaim), client.transport);
    this.#running = new Follower(source, this, { clock, random, begin: "now" }).run(this.#stopped.signal);
  }

  get waiterCount(): number {
    let count = 0;
    for (const waiters of this.#waiters.values()) count += waiters.size;
    return count;
  }

  /** Somebody who waits for a claim of that name, which need not be there yet; until `leave`. */
  join(namespace: string, name: string, candidate: string): Waiter {
    const key = keyOf(namespace, name);
    const waiter = new Waiter({ namespace, name, candidate });
    const waiters = this.#waiters.get(key) ?? new Set<Waiter>();
    waiters.add(waiter);
    this.#waiters.set(key, waiters);
    return waiter;
  }

  leave(waiter: Waiter): void {
    const key = keyOf(waiter.wanted.namespace, waiter.wanted.name);
    const waiters = this.#waiters.get(key);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiters.delete(key);
  }

  /** The claim that a waiter is about is this one, and lists its object since that version of it. */
  follow(waiter: Waiter, claim: ResourceClaim): void {
    const { uid = "" } = claim.metadata;
    waiter.follow(claim);
    if (this.#promised.has(uid)) waiter.end({ result: "granted" });
    const followers = this.#followers.get(uid) ?? new Set<Waiter>();
    followers.add(waiter);
    this.#followers.set(uid, followers);
    void waiter.done.then(() => this.#unfollow(uid, waiter));
  }

  /** All of a claim is promised, and will be granted whatever happens. May be known before anybody follows the claim. */
  promised(uid: string): void {
    for (const waiter of this.#followers.get(uid) ?? []) waiter.end({ result: "granted" });
    this.#promised.add(uid);
    if (this.#promised.size <= promisedMax) return;
    for (const oldest of this.#promised) {
      this.#promised.delete(oldest);
      break;
    }
  }

  #unfollow(uid: string, waiter: Waiter): void {
    const followers = this.#followers.get(uid);
    followers?.delete(waiter);
    if (followers?.size === 0) this.#followers.delete(uid);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("nobody waits for claims of this plane"));
    await this.#running;
  }

  replacing(): void {
    // what was there before is of no interest
  }

  replaced(): void {
    this.#options.told.connected?.();
    if (this.#isOpen) this.#readAll();
    this.#isOpen = true;
    this.#announceOpen();
  }

  present(object: JsonObject): void {
    this.#options.told.received?.("present");
    const waiters = this.#waitersFor(object);
    if (waiters === undefined) return;
    const claim = parseResourceClaim(object);
    if (claim.ok) for (const waiter of waiters) waiter.saw(claim.value);
  }

  gone(object: JsonObject): void {
    this.#options.told.received?.("gone");
    const uid = textIn(object, "uid");
    for (const waiter of this.#waitersFor(object) ?? []) waiter.sawGone(uid);
  }

  reached(): void {
    this.#options.told.received?.("reached");
  }

  troubled(error: unknown): void {
    this.#options.told.restarted?.(error);
    this.#options.report(error);
  }

  #waitersFor(object: JsonObject): ReadonlySet<Waiter> | undefined {
    return this.#waiters.get(keyOf(textIn(object, "namespace"), textIn(object, "name")));
  }

  /** A claim that cannot be read now is read by the next one who comes to it, or its waiter runs out of time. */
  #readAll(): void {
    for (const waiters of this.#waiters.values()) {
      for (const waiter of waiters) void this.read(waiter).catch(this.#options.report);
    }
  }

  async read(waiter: Waiter): Promise<ResourceClaim | undefined> {
    const { client } = this.#options;
    const claims = client.resource(resourceClaimDefinition, parseResourceClaim);
    const claim = await claims.find(waiter.wanted, this.#stopped.signal);
    if (claim === undefined) waiter.sawNothing();
    else waiter.saw(claim);
    return claim;
  }
}

/** No part of it can hold a slash. */
function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function textIn(object: JsonObject, field: string): string {
  const metadata = ownValue(object, "metadata");
  const value = isJsonObject(metadata) ? ownValue(metadata, field) : undefined;
  return typeof value === "string" ? value : "";
}
