import type { Clock } from "../../protocol/clock.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { ObjectMeta } from "../../protocol/object-meta.ts";
import type { Random } from "../backoff.ts";
import { nameIn, type Parser, UnreadableObject } from "../resources/read-reply.ts";
import { sharedAbort } from "../shared-abort.ts";
import { Follower, type Following, type FollowLimits } from "./follower.ts";
import { Freshness } from "./freshness.ts";
import type { ObjectPlace } from "./object-place.ts";
import type { ObjectSource } from "./object-source.ts";
import { PlaceMap } from "./place-map.ts";
import { isOlder } from "./revision.ts";
import { RevisionWaiters } from "./revision-waiters.ts";

/** Told of every change to what an informer keeps. One that throws is reported, and keeps nobody else from being told. */
export interface InformerHandler<Kept> {
  added?(place: ObjectPlace, now: Kept): void;
  changed?(place: ObjectPlace, before: Kept, now: Kept): void;
  removed?(place: ObjectPlace, before: Kept): void;
}

export interface InformerOptions<Kind, Kept> {
  readonly source: ObjectSource;
  readonly parse: Parser<Kind>;
  /** What is kept of an object, which should be little; undefined when it is of no interest. */
  readonly keep: (object: Kind, plane: string) => Kept | undefined;
  /** Whether a change is none to anybody: then nobody is told. */
  readonly isSame?: (before: Kept, now: Kept) => boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly report: (error: unknown) => void;
  /** More objects than this are refused, loudly: the informer is then troubled, and not ready. */
  readonly objectsMax?: number;
  readonly limits?: Partial<FollowLimits>;
}

export type InformerState =
  | { readonly phase: "starting" }
  | { readonly phase: "live" }
  /** What is kept is as of some time ago; it is being tried to catch up. */
  | { readonly phase: "troubled"; readonly error: unknown; readonly sinceMs: number };

interface Held<Kept> {
  readonly uid: string;
  readonly revision: string;
  readonly kept: Kept;
  /** The last replacing in which it was there. */
  round: number;
}

const objectsMaxDefault = 5_000_000;

/** Keeps a small record of every object of a source, always up to date, and tells of changes. */
export class Informer<Kind, Kept> implements Following {
  readonly #options: InformerOptions<Kind, Kept>;
  readonly #held = new PlaceMap<Held<Kept>>();
  readonly #handlers = new Set<InformerHandler<Kept>>();
  readonly #waiters = new RevisionWaiters();
  readonly #follower: Follower;
  readonly #freshness: Freshness;
  readonly #stopped = sharedAbort();
  #running: Promise<void> | undefined;
  #state: InformerState = { phase: "starting" };
  #round = 0;
  #troubles = 0;
  #isReplacing = false;
  #isReady = false;
  #announceReady: () => void = () => undefined;
  /** Resolves when everything that was there has been told. */
  readonly ready: Promise<void>;

  constructor(options: InformerOptions<Kind, Kept>) {
    this.#options = options;
    const { clock, random, limits } = options;
    this.#follower = new Follower(options.source, this, { clock, random, ...(limits === undefined ? {} : { limits }) });
    this.#freshness = new Freshness(this, { source: options.source, clock, stopped: this.#stopped.signal });
    this.ready = new Promise((resolve) => {
      this.#announceReady = resolve;
    });
  }

  start(): void {
    this.#running ??= this.#follower.run(this.#stopped.signal);
  }

  async stop(): Promise<void> {
    this.#stopped.abort(new Error("the informer was stopped"));
    this.#waiters.stop(this.#stopped.signal.reason);
    await this.#running;
  }

  get state(): InformerState {
    return this.#state;
  }

  /** How often its stream had to begin again because something went wrong. */
  get troubles(): number {
    return this.#troubles;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Everything up to here has been told; undefined while everything is read, at first or anew. */
  get revision(): string | undefined {
    return this.#waiters.revision;
  }

  /** Whether a stream is being read that everything could be read anew instead of. */
  get canRefresh(): boolean {
    return this.#follower.isResuming;
  }

  get(place: ObjectPlace): Kept | undefined {
    return this.#held.get(place)?.kept;
  }

  *entries(): Generator<readonly [ObjectPlace, Kept]> {
    for (const [place, { kept }] of this.#held.entries()) yield [place, kept];
  }

  /** Tells of everything there is by now, and then of every change, until the returned function is called. */
  subscribe(handler: InformerHandler<Kept>): () => void {
    for (const [place, kept] of this.entries()) this.#tell(() => handler.added?.(place, kept), [handler]);
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /**
   * Resolves when everything up to this revision has been told. For the revision of a write to an object of this kind
   * that is soon; for that of something else it may take until the next bookmark, which is about a minute.
   */
  atLeast(revision: string, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(revision, signal);
  }

  /**
   * Resolves when everything is known that happened before this call. Rejects when the server cannot be asked how far it
   * is; asks again and again only for what it said once.
   */
  fresh(signal: AbortSignal): Promise<void> {
    return this.#freshness.fresh(signal);
  }

  /** Reads everything again, now. */
  refresh(): void {
    this.#waiters.forget();
    this.#follower.refresh();
  }

  replacing(): void {
    this.#round += 1;
    this.#isReplacing = true;
    this.#waiters.forget();
  }

  replaced(): void {
    this.#isReplacing = false;
    for (const [place, held] of this.#held.entries()) if (held.round !== this.#round) this.#remove(place, held);
    if (this.#isReady) return;
    this.#isReady = true;
    this.#announceReady();
  }

  present(object: JsonObject, plane: string, revision: string): void {
    const { place, uid } = identityOf(object, plane);
    const held = this.#held.get(place);
    if (held !== undefined && this.#isKnown(held, uid, revision)) {
      held.round = this.#round;
      return;
    }
    const kept = this.#kept(object, plane);
    if (held !== undefined && (kept === undefined || held.uid !== uid)) this.#remove(place, held);
    if (kept === undefined) return;
    this.#put(place, { uid, revision, kept, round: this.#round });
  }

  gone(object: JsonObject, plane: string, revision: string): void {
    const { place } = identityOf(object, plane);
    const held = this.#held.get(place);
    if (held !== undefined && !isOlder(revision, held.revision)) this.#remove(place, held);
  }

  reached(revision: string): void {
    this.#state = { phase: "live" };
    this.#waiters.reached(revision);
  }

  troubled(error: unknown): void {
    this.#troubles += 1;
    const sinceMs = this.#state.phase === "troubled" ? this.#state.sinceMs : this.#options.clock.now();
    this.#state = { phase: "troubled", error, sinceMs };
    this.#options.report(error);
  }

  /** Whether this is what we have already, or older. A new list is the truth even where it is older: stores are restored. */
  #isKnown(held: Held<Kept>, uid: string, revision: string): boolean {
    if (held.uid === uid && held.revision === revision) return true;
    return !this.#isReplacing && isOlder(revision, held.revision);
  }

  /** One object that cannot be read is taken as not there; it must not hide all the others. */
  #kept(object: JsonObject, plane: string): Kept | undefined {
    try {
      const parsed = this.#options.parse(object);
      if (parsed.ok) return this.#options.keep(parsed.value, plane);
      throw new UnreadableObject(nameIn(object), parsed.issues);
    } catch (error) {
      this.#options.report(error);
      return undefined;
    }
  }

  #put(place: ObjectPlace, now: Held<Kept>): void {
    const before = this.#held.get(place);
    const { objectsMax = objectsMaxDefault, isSame } = this.#options;
    if (before === undefined && this.#held.size >= objectsMax) throw new RangeError(`more than ${objectsMax} objects`);
    this.#held.set(place, now);
    if (before === undefined) this.#tell((handler) => handler.added?.(place, now.kept));
    else if (isSame?.(before.kept, now.kept) !== true) {
      this.#tell((handler) => handler.changed?.(place, before.kept, now.kept));
    }
  }

  #remove(place: ObjectPlace, { kept }: Held<Kept>): void {
    this.#held.delete(place);
    this.#tell((handler) => handler.removed?.(place, kept));
  }

  #tell(
    tell: (handler: InformerHandler<Kept>) => void,
    handlers: Iterable<InformerHandler<Kept>> = this.#handlers,
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
  readonly place: ObjectPlace;
  readonly uid: string;
}

function identityOf(object: JsonObject, plane: string): Identity {
  const { namespace = "", name = "", uid = "" } = (object["metadata"] ?? {}) as ObjectMeta;
  return { place: { plane, namespace, name }, uid };
}
