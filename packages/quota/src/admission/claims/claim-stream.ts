import { backoffMs, type Random } from "@milo-quota/kubernetes/client/backoff.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import { Reflector, type ReflectorObserver } from "@milo-quota/kubernetes/client/watch/reflector.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { isJsonObject, type JsonObject, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { parseResourceClaim, resourceClaimDefinition } from "../../core/resources/resource-claim.ts";
import { KeyedMutex } from "./keyed-mutex.ts";
import { ObservedListerWatcher } from "./observed-lister-watcher.ts";
import type { EventResult, StreamObserver, WaiterResult } from "./stream-observer.ts";
import type { EventMeaning, Waiter } from "./waiter.ts";
import { Waiters } from "./waiters.ts";

export interface ClaimStreamOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (error: unknown) => void;
  readonly observer: StreamObserver;
}

const readTriesMax = 8;
const readRetry = { minMs: 50, maxMs: 2_000 };

/**
 * Watches the claims of one control plane from now on, and informs the waiters for them. It keeps nothing of other claims.
 * When the watch had to restart, events may be lost: then the stream reads every awaited claim once.
 */
export class ClaimStream implements ReflectorObserver {
  readonly #options: ClaimStreamOptions;
  readonly #waiters = new Waiters();
  readonly #joinedAtMs = new WeakMap<Waiter, number>();
  readonly #stopped = lightAbortController();
  readonly #source: ObservedListerWatcher;
  readonly #running: Promise<void>;
  #resolveOpen: () => void = () => undefined;
  #isOpen = false;
  #lastError: unknown;
  /** Serializes the requests of this process for the same claim. */
  readonly mutex = new KeyedMutex();
  /** Resolves when the stream delivers all events from then on. */
  readonly open: Promise<void>;

  constructor(options: ClaimStreamOptions) {
    this.#options = options;
    const { client, clock, random, observer } = options;
    this.open = new Promise((resolve) => {
      this.#resolveOpen = resolve;
    });
    const source = listerWatcherFor(client.resource(resourceClaimDefinition, parseResourceClaim), client.transport);
    this.#source = new ObservedListerWatcher(source, clock, observer);
    this.#running = new Reflector(this.#source, this, { clock, random, begin: "now" }).run(this.#stopped.signal);
  }

  get health(): Pick<ObservedListerWatcher, "isConnected" | "uptimeMs" | "bookmarkAgeMs"> {
    return this.#source;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Why the stream is not open. */
  get error(): string {
    return this.#lastError instanceof Error ? this.#lastError.message : "the server has not answered yet";
  }

  get waiterCount(): number {
    return this.#waiters.count;
  }

  /** Registers a waiter for a claim of that name, which need not exist yet. To be ended by `leave`. */
  join(namespace: string, name: string, candidate: string): Waiter {
    const { clock, observer } = this.#options;
    const waiter = this.#waiters.join(namespace, name, candidate);
    this.#joinedAtMs.set(waiter, clock.now());
    observer.onWaiterJoined?.();
    return waiter;
  }

  leave(waiter: Waiter, result: WaiterResult): void {
    const { clock, observer } = this.#options;
    this.#waiters.leave(waiter);
    observer.onWaiterLeft?.(result, clock.now() - (this.#joinedAtMs.get(waiter) ?? clock.now()));
  }

  async stop(): Promise<void> {
    this.#source.markStopping();
    this.#stopped.abort(new Error("the claim stream was closed"));
    await this.#running;
  }

  onReplaceStarted(): void {
    // Waiters care only about events after they joined.
  }

  onReplaced(): void {
    this.#lastError = undefined;
    if (this.#isOpen) this.#readAll();
    this.#isOpen = true;
    this.#resolveOpen();
  }

  onPresent(object: JsonObject): void {
    this.#observeResult(this.#process(object));
  }

  onDeleted(object: JsonObject): void {
    const uid = textIn(object, "uid");
    this.#observeResult(resultOf((this.#waitersFor(object) ?? []).map((waiter) => waiter.onDeleted(uid))));
  }

  onProgress(): void {
    // Waiters need no bookmarks.
  }

  onError(error: unknown): void {
    this.#lastError = error;
    this.#options.report(error);
  }

  /** Hot: runs for every claim of the plane. Claims without a waiter are not parsed. */
  #process(object: JsonObject): EventResult {
    const waiters = this.#waitersFor(object);
    if (waiters === undefined) return "ignored";
    const claim = parseResourceClaim(object);
    return claim.ok ? resultOf(waiters.map((waiter) => waiter.onClaim(claim.value))) : "error";
  }

  #observeResult(result: EventResult): void {
    this.#options.observer.onProcessed?.(result);
  }

  #waitersFor(object: JsonObject): readonly Waiter[] | undefined {
    return this.#waiters.waitingFor(textIn(object, "namespace"), textIn(object, "name"));
  }

  #readAll(): void {
    for (const waiter of this.#waiters.all) void this.#read(waiter).catch(this.#options.report);
  }

  /** Retries for a while: without the read, a waiter may never learn of an event that was lost. */
  async #read(waiter: Waiter): Promise<void> {
    const { client, clock, random } = this.#options;
    const { signal } = this.#stopped;
    const claims = client.resource(resourceClaimDefinition, parseResourceClaim);
    for (let failures = 1; this.#waiters.has(waiter); failures += 1) {
      const { followed } = waiter;
      try {
        const claim = await claims.find(waiter.wanted, signal);
        this.#observeResult(resultOf([claim === undefined ? waiter.onNotFound(followed) : waiter.onClaim(claim)]));
        return;
      } catch (error) {
        if (signal.aborted || failures >= readTriesMax) throw error;
        await sleep(clock, backoffMs(failures, readRetry, random), signal);
      }
    }
  }
}

/** The most significant of what an event meant to its waiters. */
function resultOf(meanings: readonly EventMeaning[]): EventResult {
  if (meanings.includes("granted")) return "granted";
  if (meanings.includes("denied") || meanings.includes("invalid")) return "denied";
  return meanings.includes("pending") ? "pending" : "ignored";
}

function textIn(object: JsonObject, field: string): string {
  const metadata = ownValue(object, "metadata");
  const value = isJsonObject(metadata) ? ownValue(metadata, field) : undefined;
  return typeof value === "string" ? value : "";
}
