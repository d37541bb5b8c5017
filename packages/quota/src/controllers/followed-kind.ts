import { backoffMs } from "@milo-quota/kubernetes/client/backoff.ts";
import { ChildAbort } from "@milo-quota/kubernetes/client/child-abort.ts";
import type { KindDirectory } from "@milo-quota/kubernetes/client/discovery/kind-directory.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import { untilAborted } from "@milo-quota/kubernetes/client/until-aborted.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { PlaceMap } from "@milo-quota/kubernetes/client/watch/place-map.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type GroupKind, groupKindText } from "../core/resources/fields/consumer-ref.ts";
import type { Running, Runtime } from "../views/runtime.ts";

/** Told of what happens to objects of kinds that are followed. */
export interface FollowedKindHandler<Kept> {
  added?(kind: GroupKind, place: ObjectPlace, now: Kept): void;
  changed?(kind: GroupKind, place: ObjectPlace, before: Kept, now: Kept): void;
  removed?(kind: GroupKind, place: ObjectPlace, before: Kept): void;
  /** Everything there is of the kind has been told; or that it is not served, and so nothing is there. */
  settled?(kind: GroupKind): void;
}

export interface FollowedKindOptions<Kept> {
  readonly runtime: Pick<Runtime, "planes" | "clock" | "random" | "report">;
  readonly directory: Pick<KindDirectory, "find" | "doubt">;
  /** What is kept of an object; undefined when it is of no interest. */
  readonly keep: (object: JsonObject, plane: string, kind: GroupKind) => Kept | undefined;
  readonly handler: FollowedKindHandler<Kept>;
  /** Planes that may serve a kind which the root does not, such as those of policies that name it. */
  readonly planesOf?: (kind: GroupKind) => readonly string[];
  /** Who follows, for reports. */
  readonly where: string;
}

/**
 * How well the objects of a kind are known: all of them, not yet all of them, none because the kind is not served, or as
 * of some time ago.
 */
export type FollowedPhase = "live" | "starting" | "unserved" | "troubled";

const lookAgain = { minMs: 1_500, maxMs: 30_000 };
/** Beyond so many it is not known that none serves a kind. */
const planesAskedMax = 100;
const keepAnew = new Error("everything is kept anew");
const perhapsUnserved = new Error("the kind may not be served any more");

/** The objects of one kind in all planes, through times when it is not served. */
export class FollowedKind<Kept> implements Running {
  readonly #kind: GroupKind;
  readonly #options: FollowedKindOptions<Kept>;
  readonly #held = new PlaceMap<Kept>();
  readonly #stopped = sharedAbort();
  readonly #running: Promise<void>;
  #phase: () => FollowedPhase = () => "starting";
  #attempt: ChildAbort | undefined;
  #servedIn = "";
  #failures = 0;

  constructor(kind: GroupKind, options: FollowedKindOptions<Kept>) {
    this.#kind = kind;
    this.#options = options;
    this.#running = this.#run(this.#stopped.signal);
  }

  get phase(): FollowedPhase {
    return this.#phase();
  }

  get(place: ObjectPlace): Kept | undefined {
    return this.#held.get(place);
  }

  entries(): Iterable<readonly [ObjectPlace, Kept]> {
    return this.#held.entries();
  }

  /** Asks again, of every object there is, what is to be kept of it. Until that is known, what was kept stands. */
  rekeep(): void {
    this.#attempt?.abort(keepAnew);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("nobody follows this kind any more"));
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    await Promise.resolve(); // whoever wants a kind hears of it in a later turn
    while (!signal.aborted) {
      const attempt = new ChildAbort(signal);
      this.#attempt = attempt;
      await this.#once(attempt.signal).catch((error: unknown) => this.#ended(error));
      attempt.release();
      if (signal.aborted || attempt.signal.reason === keepAnew) continue;
      await this.#paceOrRekeep(signal);
    }
  }

  async #paceOrRekeep(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.runtime;
    const pacing = new ChildAbort(signal);
    this.#attempt = pacing;
    this.#failures += 1;
    await pause(clock, backoffMs(this.#failures, lookAgain, random), pacing.signal).catch(() => undefined);
    pacing.release();
  }

  #ended(error: unknown): void {
    if (error === keepAnew || this.#stopped.signal.aborted) return;
    this.#phase = () => "troubled";
    if (error !== perhapsUnserved) this.#report(error);
  }

  async #once(signal: AbortSignal): Promise<void> {
    const type = await this.#typeServed(signal);
    if (type !== undefined) await this.#follow(type, signal);
    else this.#unserved();
  }

  /** By the root, or by any plane that has objects of the kind, or may have. */
  async #typeServed(signal: AbortSignal): Promise<ResourceType | undefined> {
    const { directory, runtime, planesOf } = this.#options;
    const planes = [...new Set([runtime.planes.root, ...(planesOf?.(this.#kind) ?? []), ...this.#held.planes])];
    for (const plane of planes.slice(0, planesAskedMax)) {
      const type = await untilAborted(directory.find(plane, this.#kind), signal);
      this.#servedIn = plane;
      if (type !== undefined) return type;
    }
    if (planes.length > planesAskedMax) throw new Error(`none of ${planesAskedMax} planes serves this kind`);
    return undefined;
  }

  /** Rejects, when it is time to look whether the kind is served, and how. */
  async #follow(type: ResourceType, signal: AbortSignal): Promise<void> {
    const informer = this.#informer(type);
    this.#phase = () => (informer.state.phase === "troubled" ? "troubled" : "starting");
    const ended = untilAborted(new Promise<never>(() => undefined), signal);
    try {
      informer.start();
      await Promise.race([informer.ready, ended]);
      for (const [place, kept] of [...this.#held.entries()]) {
        if (informer.get(place) === undefined) this.#remove(place, kept);
      }
      this.#failures = 0;
      this.#phase = () => (informer.state.phase === "live" ? "live" : "troubled");
      this.#tell((handler) => handler.settled?.(this.#kind));
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
      keep: (object, plane) => keep(object, plane, this.#kind),
      clock: runtime.clock,
      random: runtime.random,
      report: (error) => this.#troubled(error),
    });
    informer.subscribe({
      added: (place, now) => this.#put(place, now),
      changed: (place, _, now) => this.#put(place, now),
      removed: (place, before) => this.#remove(place, before),
    });
    return informer;
  }

  #troubled(error: unknown): void {
    if (this.#stopped.signal.aborted) return;
    this.#report(error);
    if (!(error instanceof StatusError) || error.status.code !== 404) return;
    this.#options.directory.doubt(this.#servedIn);
    this.#attempt?.abort(perhapsUnserved);
  }

  /** Its objects are gone. */
  #unserved(): void {
    const isNews = this.#phase() !== "unserved";
    this.#phase = () => "unserved";
    for (const [place, kept] of [...this.#held.entries()]) this.#remove(place, kept);
    if (isNews) this.#tell((handler) => handler.settled?.(this.#kind));
  }

  #put(place: ObjectPlace, now: Kept): void {
    const before = this.#held.get(place);
    this.#held.set(place, now);
    if (before === undefined) this.#tell((handler) => handler.added?.(this.#kind, place, now));
    else this.#tell((handler) => handler.changed?.(this.#kind, place, before, now));
  }

  #remove(place: ObjectPlace, before: Kept): void {
    if (this.#held.delete(place)) this.#tell((handler) => handler.removed?.(this.#kind, place, before));
  }

  #tell(tell: (handler: FollowedKindHandler<Kept>) => void): void {
    if (this.#stopped.signal.aborted) return;
    try {
      tell(this.#options.handler);
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    this.#options.runtime.report(`${this.#options.where} ${groupKindText(this.#kind)}`, error);
  }
}
