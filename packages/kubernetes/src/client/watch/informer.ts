import type { Clock } from "../../protocol/clock.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { ObjectMeta } from "../../protocol/object-meta.ts";
import type { Random } from "../backoff.ts";
import { lightAbortController } from "../light-abort-controller.ts";
import { nameIn, type Parser, UnreadableObject } from "../resources/read-reply.ts";
import { Freshness } from "./freshness.ts";
import type { ListerWatcher } from "./lister-watcher.ts";
import type { PlaneObjectKey } from "./plane-object-key.ts";
import { PlaneObjectMap } from "./plane-object-map.ts";
import { Reflector, type ReflectorLimits, type ReflectorObserver } from "./reflector.ts";
import { isOlder } from "./revision.ts";
import { RevisionWaiters } from "./revision-waiters.ts";

/** Notified of every change in an informer's cache. Errors are reported, and do not affect other handlers. */
export interface ResourceEventHandler<Cached> {
  onAdd?(key: PlaneObjectKey, now: Cached): void;
  onUpdate?(key: PlaneObjectKey, before: Cached, now: Cached): void;
  onDelete?(key: PlaneObjectKey, before: Cached): void;
}

export interface InformerOptions<Kind, Cached> {
  readonly source: ListerWatcher;
  readonly parse: Parser<Kind>;
  /** The part of an object to cache, which should be small; undefined to skip the object. */
  readonly transform: (object: Kind, plane: string) => Cached | undefined;
  /** Whether a change is irrelevant to all handlers, which are then not notified. */
  readonly isSame?: (before: Cached, now: Cached) => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (error: unknown) => void;
  /** With more objects than this the informer fails and is not synced. */
  readonly objectsMax?: number;
  readonly limits?: Partial<ReflectorLimits>;
}

export type InformerState =
  | { readonly phase: "starting" }
  | { readonly phase: "live" }
  /** The cache is stale; the informer is retrying. The phase is a documented metric label. */
  | { readonly phase: "troubled"; readonly error: unknown; readonly sinceMs: number };

interface CacheEntry<Cached> {
  readonly uid: string;
  readonly revision: string;
  readonly cached: Cached;
  /** The last list that contained it. */
  round: number;
}

const objectsMaxDefault = 5_000_000;

/** Caches a small record of every object of a kind, keeps it current, and notifies handlers of changes. */
export class Informer<Kind, Cached> implements ReflectorObserver {
  readonly #options: InformerOptions<Kind, Cached>;
  readonly #cache = new PlaneObjectMap<CacheEntry<Cached>>();
  readonly #handlers = new Set<ResourceEventHandler<Cached>>();
  readonly #waiters = new RevisionWaiters();
  readonly #reflector: Reflector;
  readonly #freshness: Freshness;
  readonly #stopped = lightAbortController();
  #running: Promise<void> | undefined;
  #state: InformerState = { phase: "starting" };
  #round = 0;
  #failures = 0;
  #isReplacing = false;
  #hasSynced = false;
  #resolveSynced: () => void = () => undefined;
  /** Resolves after the initial list was delivered. */
  readonly synced: Promise<void>;

  constructor(options: InformerOptions<Kind, Cached>) {
    this.#options = options;
    const { clock, random, limits } = options;
    this.#reflector = new Reflector(options.source, this, {
      clock,
      random,
      ...(limits === undefined ? {} : { limits }),
    });
    this.#freshness = new Freshness(this, { source: options.source, clock, stopped: this.#stopped.signal });
    this.synced = new Promise((resolve) => {
      this.#resolveSynced = resolve;
    });
  }

  start(): void {
    this.#running ??= this.#reflector.run(this.#stopped.signal);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the informer was stopped"));
    this.#waiters.stop(this.#stopped.signal.reason);
    await this.#running;
  }

  get state(): InformerState {
    return this.#state;
  }

  /** Number of failed lists and watches. */
  get failures(): number {
    return this.#failures;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get size(): number {
    return this.#cache.size;
  }

  /** The revision that the cache is current to; undefined while everything is being listed. */
  get revision(): string | undefined {
    return this.#waiters.revision;
  }

  /** Whether a watch is open that a new list could replace. */
  get canRefresh(): boolean {
    return this.#reflector.isResuming;
  }

  get(key: PlaneObjectKey): Cached | undefined {
    return this.#cache.get(key)?.cached;
  }

  *entries(): Generator<readonly [PlaneObjectKey, Cached]> {
    for (const [key, { cached }] of this.#cache.entries()) yield [key, cached];
  }

  /** Notifies the handler of all cached objects, and then of every change, until the returned function is called. */
  subscribe(handler: ResourceEventHandler<Cached>): () => void {
    for (const [key, cached] of this.entries()) this.#notify(() => handler.onAdd?.(key, cached), [handler]);
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /**
   * Resolves when the cache is current to this revision. For the revision of a write to an object of this kind that is
   * soon; for any other it may take until the next bookmark, about a minute.
   */
  waitForRevision(revision: string, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(revision, signal);
  }

  /**
   * Resolves when the cache includes everything that happened before this call. Rejects when the server's current
   * revision cannot be determined; afterwards it retries until the cache has caught up.
   */
  waitUntilFresh(signal: AbortSignal): Promise<void> {
    return this.#freshness.waitUntilFresh(signal);
  }

  /** Lists everything again, now. */
  refresh(): void {
    this.#waiters.reset();
    this.#reflector.refresh();
  }

  onReplaceStarted(): void {
    this.#round += 1;
    this.#isReplacing = true;
    this.#waiters.reset();
  }

  onReplaced(): void {
    this.#isReplacing = false;
    for (const [key, held] of this.#cache.entries()) if (held.round !== this.#round) this.#remove(key, held);
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    this.#resolveSynced();
  }

  onPresent(object: JsonObject, plane: string, revision: string): void {
    const { key, uid } = identityOf(object, plane);
    const held = this.#cache.get(key);
    if (held !== undefined && this.#isCached(held, uid, revision)) {
      held.round = this.#round;
      return;
    }
    const cached = this.#transform(object, plane);
    if (held !== undefined && (cached === undefined || held.uid !== uid)) this.#remove(key, held);
    if (cached === undefined) return;
    this.#put(key, { uid, revision, cached, round: this.#round });
  }

  onDeleted(object: JsonObject, plane: string, revision: string): void {
    const { key } = identityOf(object, plane);
    const held = this.#cache.get(key);
    if (held !== undefined && !isOlder(revision, held.revision)) this.#remove(key, held);
  }

  onProgress(revision: string): void {
    this.#state = { phase: "live" };
    this.#waiters.advance(revision);
  }

  onError(error: unknown): void {
    this.#failures += 1;
    const sinceMs = this.#state.phase === "troubled" ? this.#state.sinceMs : this.#options.clock.now();
    this.#state = { phase: "troubled", error, sinceMs };
    this.#options.report(error);
  }

  /**
   * Whether this version is cached already, or older. In a new list even older versions are applied: the store may have
   * been restored.
   */
  #isCached(held: CacheEntry<Cached>, uid: string, revision: string): boolean {
    if (held.uid === uid && held.revision === revision) return true;
    return !this.#isReplacing && isOlder(revision, held.revision);
  }

  /** An unreadable object counts as absent; it must not hide all others. */
  #transform(object: JsonObject, plane: string): Cached | undefined {
    try {
      const parsed = this.#options.parse(object);
      if (parsed.ok) return this.#options.transform(parsed.value, plane);
      throw new UnreadableObject(nameIn(object), parsed.issues);
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  #put(key: PlaneObjectKey, now: CacheEntry<Cached>): void {
    const before = this.#cache.get(key);
    const { objectsMax = objectsMaxDefault, isSame } = this.#options;
    if (before === undefined && this.#cache.size >= objectsMax) throw new RangeError(`more than ${objectsMax} objects`);
    this.#cache.set(key, now);
    if (before === undefined) this.#notify((handler) => handler.onAdd?.(key, now.cached));
    else if (isSame?.(before.cached, now.cached) !== true) {
      this.#notify((handler) => handler.onUpdate?.(key, before.cached, now.cached));
    }
  }

  #remove(key: PlaneObjectKey, { cached }: CacheEntry<Cached>): void {
    this.#cache.delete(key);
    this.#notify((handler) => handler.onDelete?.(key, cached));
  }

  #notify(
    tell: (handler: ResourceEventHandler<Cached>) => void,
    handlers: Iterable<ResourceEventHandler<Cached>> = this.#handlers,
  ): void {
    for (const handler of handlers) {
      try {
        tell(handler);
      } catch (error) {
        this.#options.report(error);
      }
    }
  }
}

interface Identity {
  readonly key: PlaneObjectKey;
  readonly uid: string;
}

function identityOf(object: JsonObject, plane: string): Identity {
  const { namespace = "", name = "", uid = "" } = (object["metadata"] ?? {}) as ObjectMeta;
  return { key: { plane, namespace, name }, uid };
}
