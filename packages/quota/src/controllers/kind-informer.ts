import { abortable } from "@milo-quota/kubernetes/client/abortable.ts";
import { backoffMs } from "@milo-quota/kubernetes/client/backoff.ts";
import { ChildAbortController } from "@milo-quota/kubernetes/client/child-abort-controller.ts";
import type { RestMapper } from "@milo-quota/kubernetes/client/discovery/rest-mapper.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import { PlaneObjectMap } from "@milo-quota/kubernetes/client/watch/plane-object-map.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type GroupKind, groupKindText } from "../core/resources/fields/consumer-ref.ts";
import type { Running, Runtime } from "../views/runtime.ts";

/** Like the handler of an informer, with the kind as first argument. */
export interface KindInformerHandler<Kept> {
  onAdd?(kind: GroupKind, key: PlaneObjectKey, now: Kept): void;
  onUpdate?(kind: GroupKind, key: PlaneObjectKey, before: Kept, now: Kept): void;
  onDelete?(kind: GroupKind, key: PlaneObjectKey, before: Kept): void;
  /** The handler was called for all objects of the kind, or the kind is not served and has none. */
  onSynced?(kind: GroupKind): void;
}

export interface KindInformerOptions<Kept> {
  readonly runtime: Pick<Runtime, "planes" | "clock" | "random" | "report">;
  readonly restMapper: Pick<RestMapper, "resourceFor" | "invalidate">;
  /** Selects what to cache of an object; undefined to skip it. */
  readonly keep: (object: JsonObject, plane: string, kind: GroupKind) => Kept | undefined;
  readonly handler: KindInformerHandler<Kept>;
  /** Control planes that may serve a kind which the root does not, such as those of policies that name it. */
  readonly planesOf?: (kind: GroupKind) => readonly string[];
  /** Names the owner in error reports. */
  readonly owner: string;
}

/**
 * `live`: the cache is complete. `starting`: not complete yet. `unserved`: no server has the kind, so there are no objects.
 * `troubled`: the cache may be outdated.
 */
export type KindInformerPhase = "live" | "starting" | "unserved" | "troubled";

const retryBackoff = { minMs: 1_500, maxMs: 30_000 };
/** If more control planes than this may serve a kind, the search for it ends with an error instead of `unserved`. */
const planesQueriedMax = 100;
const refiltering = new Error("the cache is being rebuilt");
const perhapsUnserved = new Error("the kind may not be served any more");

/** Caches the objects of one kind in all control planes, and keeps running while the kind is not served. */
export class KindInformer<Kept> implements Running {
  readonly #kind: GroupKind;
  readonly #options: KindInformerOptions<Kept>;
  readonly #cache = new PlaneObjectMap<Kept>();
  readonly #stopped = lightAbortController();
  readonly #running: Promise<void>;
  #phase: () => KindInformerPhase = () => "starting";
  #attempt: ChildAbortController | undefined;
  #servedIn = "";
  #failures = 0;

  constructor(kind: GroupKind, options: KindInformerOptions<Kept>) {
    this.#kind = kind;
    this.#options = options;
    this.#running = this.#run(this.#stopped.signal);
  }

  get phase(): KindInformerPhase {
    return this.#phase();
  }

  get(key: PlaneObjectKey): Kept | undefined {
    return this.#cache.get(key);
  }

  entries(): Iterable<readonly [PlaneObjectKey, Kept]> {
    return this.#cache.entries();
  }

  /** Applies `keep` to all objects again, after its result may have changed. Serves the former cache until then. */
  refilter(): void {
    this.#attempt?.abort(refiltering);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the informer was stopped"));
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    await Promise.resolve(); // handlers are never called before the constructor returns
    while (!signal.aborted) {
      const attempt = new ChildAbortController(signal);
      this.#attempt = attempt;
      await this.#runOnce(attempt.signal).catch((error: unknown) => this.#onEnded(error));
      attempt.release();
      if (signal.aborted || attempt.signal.reason === refiltering) continue;
      await this.#backOff(signal);
    }
  }

  /** `refilter` ends the pause early. */
  async #backOff(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.runtime;
    const pause = new ChildAbortController(signal);
    this.#attempt = pause;
    this.#failures += 1;
    await sleep(clock, backoffMs(this.#failures, retryBackoff, random), pause.signal).catch(() => undefined);
    pause.release();
  }

  #onEnded(error: unknown): void {
    if (error === refiltering || this.#stopped.signal.aborted) return;
    this.#phase = () => "troubled";
    if (error !== perhapsUnserved) this.#report(error);
  }

  async #runOnce(signal: AbortSignal): Promise<void> {
    const type = await this.#findType(signal);
    if (type !== undefined) await this.#watch(type, signal);
    else this.#onUnserved();
  }

  /** Queries the root, and every control plane that has objects of the kind or may have. */
  async #findType(signal: AbortSignal): Promise<ResourceType | undefined> {
    const { restMapper, runtime, planesOf } = this.#options;
    const planes = [...new Set([runtime.planes.root, ...(planesOf?.(this.#kind) ?? []), ...this.#cache.planes])];
    for (const plane of planes.slice(0, planesQueriedMax)) {
      const type = await abortable(restMapper.resourceFor(plane, this.#kind), signal);
      this.#servedIn = plane;
      if (type !== undefined) return type;
    }
    if (planes.length > planesQueriedMax)
      throw new Error(`none of ${planesQueriedMax} control planes serves this kind`);
    return undefined;
  }

  /** Rejects when the kind has to be looked up again. */
  async #watch(type: ResourceType, signal: AbortSignal): Promise<void> {
    const informer = this.#informer(type);
    this.#phase = () => (informer.state.phase === "troubled" ? "troubled" : "starting");
    const ended = abortable(new Promise<never>(() => undefined), signal);
    try {
      informer.start();
      await Promise.race([informer.synced, ended]);
      for (const [key, kept] of [...this.#cache.entries()]) {
        if (informer.get(key) === undefined) this.#remove(key, kept);
      }
      this.#failures = 0;
      this.#phase = () => (informer.state.phase === "live" ? "live" : "troubled");
      this.#notify((handler) => handler.onSynced?.(this.#kind));
      await ended;
    } finally {
      await informer.stop();
    }
  }

  #informer(type: ResourceType): Informer<JsonObject, Kept> {
    const { runtime, keep } = this.#options;
    const informer = new Informer<JsonObject, Kept>({
      source: runtime.planes.everywhere(type),
      parse: anyObject,
      transform: (object, plane) => keep(object, plane, this.#kind),
      clock: runtime.clock,
      random: runtime.random,
      report: (error) => this.#onWatchFailed(error),
    });
    informer.subscribe({
      onAdd: (key, now) => this.#put(key, now),
      onUpdate: (key, _, now) => this.#put(key, now),
      onDelete: (key, before) => this.#remove(key, before),
    });
    return informer;
  }

  #onWatchFailed(error: unknown): void {
    if (this.#stopped.signal.aborted) return;
    this.#report(error);
    if (!(error instanceof StatusError) || error.status.code !== 404) return;
    this.#options.restMapper.invalidate(this.#servedIn);
    this.#attempt?.abort(perhapsUnserved);
  }

  #onUnserved(): void {
    const hasChanged = this.#phase() !== "unserved";
    this.#phase = () => "unserved";
    for (const [key, kept] of [...this.#cache.entries()]) this.#remove(key, kept);
    if (hasChanged) this.#notify((handler) => handler.onSynced?.(this.#kind));
  }

  #put(key: PlaneObjectKey, now: Kept): void {
    const before = this.#cache.get(key);
    this.#cache.set(key, now);
    if (before === undefined) this.#notify((handler) => handler.onAdd?.(this.#kind, key, now));
    else this.#notify((handler) => handler.onUpdate?.(this.#kind, key, before, now));
  }

  #remove(key: PlaneObjectKey, before: Kept): void {
    if (this.#cache.delete(key)) this.#notify((handler) => handler.onDelete?.(this.#kind, key, before));
  }

  #notify(call: (handler: KindInformerHandler<Kept>) => void): void {
    if (this.#stopped.signal.aborted) return;
    try {
      call(this.#options.handler);
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#options.runtime.report(`${this.#options.owner} ${groupKindText(this.#kind)}`, error);
  }
}
