import { backoffMs, type Random } from "@milo-quota/kubernetes/client/backoff.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { Follower, type Following } from "@milo-quota/kubernetes/client/watch/follower.ts";
import { sourceOf } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import {
  parseResourceClaim,
  type ResourceClaim,
  resourceClaimDefinition,
} from "../../core/resources/resource-claim.ts";
import { ObservedSource } from "./observed-source.ts";
import type { EventResult, StreamListener, WaiterResult } from "./stream-listener.ts";
import { Turns } from "./turns.ts";
import type { Meaning, Waiter } from "./waiter.ts";
import { Waiters } from "./waiters.ts";

export interface ClaimStreamOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (error: unknown) => void;
  readonly told: StreamListener;
}

const readTriesMax = 8;
const readRetry = { minMs: 50, maxMs: 2_000 };

/**
 * What happens to claims of one plane from now on, told to those who wait for one of them. Nothing is kept of any other
 * claim. When the stream had to start over, nobody knows what was missed: every claim that is waited for is read once.
 */
export class ClaimStream implements Following {
  readonly #options: ClaimStreamOptions;
  readonly #waiters = new Waiters();
  readonly #joinedAtMs = new WeakMap<Waiter, number>();
  readonly #stopped = sharedAbort();
  readonly #source: ObservedSource;
  readonly #running: Promise<void>;
  #announceOpen: () => void = () => undefined;
  #isOpen = false;
  #trouble: unknown;
  /** For those of this process who want the same claim. */
  readonly turns = new Turns();
  /** Resolves when everything that happens from then on is told. */
  readonly open: Promise<void>;

  constructor(options: ClaimStreamOptions) {
    this.#options = options;
    const { client, clock, random, told } = options;
    this.open = new Promise((resolve) => {
      this.#announceOpen = resolve;
    });
    const source = sourceOf(client.resource(resourceClaimDefinition, parseResourceClaim), client.transport);
    this.#source = new ObservedSource(source, clock, told);
    this.#running = new Follower(this.#source, this, { clock, random, begin: "now" }).run(this.#stopped.signal);
  }

  get health(): Pick<ObservedSource, "isConnected" | "uptimeMs" | "bookmarkAgeMs"> {
    return this.#source;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Why it is not open, as far as anybody knows. */
  get trouble(): string {
    return this.#trouble instanceof Error ? this.#trouble.message : "the server has not answered yet";
  }

  get waiterCount(): number {
    return this.#waiters.count;
  }

  /** Somebody who waits for a claim of that name, which need not be there yet; until `leave`. */
  join(namespace: string, name: string, candidate: string): Waiter {
    const { clock, told } = this.#options;
    const waiter = this.#waiters.join(namespace, name, candidate);
    this.#joinedAtMs.set(waiter, clock.now());
    told.waiting?.();
    return waiter;
  }

  /** Nobody waits any more, and this is what it came to. */
  leave(waiter: Waiter, result: WaiterResult): void {
    const { clock, told } = this.#options;
    this.#waiters.leave(waiter);
    told.waited?.(result, clock.now() - (this.#joinedAtMs.get(waiter) ?? clock.now()));
  }

  /** The claim that a waiter is about is this one, and lists its object since that version of it. */
  follow(waiter: Waiter, claim: ResourceClaim): void {
    waiter.follow(claim);
  }

  async stop(): Promise<void> {
    this.#source.stopping();
    this.#stopped.abort(new Error("nobody waits for claims of this plane"));
    await this.#running;
  }

  replacing(): void {
    // what was there before is of no interest
  }

  replaced(): void {
    this.#trouble = undefined;
    if (this.#isOpen) this.#readAll();
    this.#isOpen = true;
    this.#announceOpen();
  }

  present(object: JsonObject): void {
    this.#processed(this.#shown(object));
  }

  gone(object: JsonObject): void {
    const uid = textIn(object, "uid");
    this.#processed(resultOf((this.#waitersFor(object) ?? []).map((waiter) => waiter.sawGone(uid))));
  }

  reached(): void {
    // what was told is all that matters
  }

  troubled(error: unknown): void {
    this.#trouble = error;
    this.#options.report(error);
  }

  /** Nothing is parsed that nobody waits for. */
  #shown(object: JsonObject): EventResult {
    const waiters = this.#waitersFor(object);
    if (waiters === undefined) return "ignored";
    const claim = parseResourceClaim(object);
    return claim.ok ? resultOf(waiters.map((waiter) => waiter.saw(claim.value))) : "error";
  }

  #processed(result: EventResult): void {
    this.#options.told.processed?.(result);
  }

  #waitersFor(object: JsonObject): readonly Waiter[] | undefined {
    return this.#waiters.named(textIn(object, "namespace"), textIn(object, "name"));
  }

  #readAll(): void {
    for (const waiter of this.#waiters.all) void this.#read(waiter).catch(this.#options.report);
  }

  /** Tries again for a while: what nobody reads, nobody will ever tell this waiter. */
  async #read(waiter: Waiter): Promise<void> {
    const { client, clock, random } = this.#options;
    const { signal } = this.#stopped;
    const claims = client.resource(resourceClaimDefinition, parseResourceClaim);
    for (let failures = 1; this.#waiters.has(waiter); failures += 1) {
      const { followed } = waiter;
      try {
        const claim = await claims.find(waiter.wanted, signal);
        this.#processed(resultOf([claim === undefined ? waiter.sawNothing(followed) : waiter.saw(claim)]));
        return;
      } catch (error) {
        if (signal.aborted || failures >= readTriesMax) throw error;
        await pause(clock, backoffMs(failures, readRetry, random), signal);
      }
    }
  }
}

/** What something that was seen meant to all who wait for it, in one word: that which says the most. */
function resultOf(meanings: readonly Meaning[]): EventResult {
  if (meanings.includes("granted")) return "granted";
  if (meanings.includes("denied") || meanings.includes("invalid")) return "denied";
  return meanings.includes("pending") ? "pending" : "ignored";
}

function textIn(object: JsonObject, field: string): string {
  const metadata = ownValue(object, "metadata");
  const value = isJsonObject(metadata) ? ownValue(metadata, field) : undefined;
  return typeof value === "string" ? value : "";
}
