import { StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { type BackoffLimits, backoffMs, type Random } from "../backoff.ts";
import { ChildAbort } from "../child-abort.ts";
import { pause } from "../pause.ts";
import { pageSize } from "../resources/request-options.ts";
import { retryAfterOf } from "../transport/reply-status.ts";
import { untilAborted } from "../until-aborted.ts";
import { canResumeAfter, refusesInitialEvents, StreamTooShort } from "./follow-failure.ts";
import type { ObjectSource } from "./object-source.ts";
import { isOlder } from "./revision.ts";
import { StreamReading } from "./stream-reading.ts";
import type { WatchLine } from "./watch-line.ts";

/** What a follower tells. Throwing from any of these starts the following over, after a pause. */
export interface Following {
  /** From here to `replaced`, objects come that are there, in no order. Called again if that has to start over. */
  replacing(): void;
  /** What did not come since `replacing` is not there. */
  replaced(revision: string): void;
  present(object: JsonObject, plane: string, revision: string): void;
  gone(object: JsonObject, plane: string, revision: string): void;
  /** Everything that happened up to this revision has been told. */
  reached(revision: string): void;
  /** Something went wrong. It is tried again; never given up. */
  troubled(error: unknown): void;
}

export interface FollowerOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** All objects and what happens to them, or only what happens from now on. */
  readonly begin?: "everything" | "now";
  readonly limits?: Partial<FollowLimits>;
}

export interface FollowLimits {
  readonly backoff: BackoffLimits;
  /** A stream that says nothing for so long is dead. */
  readonly silentMsMax: number;
  /** How long a watch is asked to go on: this long at least, twice as long at most. */
  readonly watchMsMin: number;
  readonly retryAfterMsMax: number;
}

const defaultLimits: FollowLimits = {
  backoff: { minMs: 100, maxMs: 30_000 },
  silentMsMax: 150_000,
  watchMsMin: 300_000,
  retryAfterMsMax: 300_000,
};

/** A stream that held this long was a good one, even if nothing happened. */
const goodStreamMs = 5_000;
const pageSizeMax = 50_000;

/** Thrown into a stream that is to be read anew. */
const refreshing = new Error("everything is read again");

/** Follows the objects of a source through every failure: lists, watches, resumes, and lists again when it must. */
export class Follower {
  readonly #source: ObjectSource;
  readonly #following: Following;
  readonly #options: FollowerOptions;
  readonly #limits: FollowLimits;
  /** Everything up to here was told; undefined when everything has to be read anew. */
  #from: string | undefined;
  #streamsInitialEvents: boolean;
  #pageSize = pageSize;
  #failures = 0;
  #attempt: ChildAbort | undefined;

  constructor(source: ObjectSource, following: Following, options: FollowerOptions) {
    this.#source = source;
    this.#following = following;
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#streamsInitialEvents = options.begin !== "now";
  }

  /** Resolves when the signal is aborted, and not before. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const error = await this.#once(signal);
      if (signal.aborted) return;
      const delayMs = this.#delayAfter(error);
      if (delayMs > 0) await pause(this.#options.clock, delayMs, signal).catch(() => undefined);
    }
  }

  /** Whether a stream is open, or being opened, that goes on from something known. */
  get isResuming(): boolean {
    return this.#attempt !== undefined && this.#from !== undefined;
  }

  /** Reads everything again, now. */
  refresh(): void {
    this.#from = undefined;
    this.#attempt?.abort(refreshing);
  }

  /** One list, or one stream; what ended it, unless that is nothing to worry about. */
  async #once(signal: AbortSignal): Promise<unknown> {
    const attempt = new ChildAbort(signal);
    this.#attempt = attempt;
    try {
      if (this.#from !== undefined) await this.#watch(this.#from, attempt.signal);
      else if (this.#streamsInitialEvents) await this.#watch(undefined, attempt.signal);
      else await untilAborted(this.#list(attempt.signal), attempt.signal);
      return undefined;
    } catch (error) {
      if (signal.aborted || error === refreshing) return undefined;
      this.#learnFrom(error);
      return error;
    } finally {
      attempt.release();
      this.#attempt = undefined;
    }
  }

  #learnFrom(error: unknown): void {
    if (this.#from === undefined && refusesInitialEvents(error)) this.#streamsInitialEvents = false;
    if (!canResumeAfter(error)) this.#from = undefined;
    this.#failures += 1;
    this.#following.troubled(error);
  }

  #delayAfter(error: unknown): number {
    if (error === undefined) return 0;
    const retryAfterMs = Math.min((retryAfterOf(error) ?? 0) * 1_000, this.#limits.retryAfterMsMax);
    return Math.max(retryAfterMs, backoffMs(this.#failures, this.#limits.backoff, this.#options.random));
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#following.replacing();
    let next = "";
    do {
      const page = await this.#page(next, signal);
      signal.throwIfAborted();
      for (const { object, plane } of this.#options.begin === "now" ? [] : page.items) {
        this.#following.present(object, this.#source.planeOf(plane, object), revisionIn(object));
      }
      next = this.#options.begin === "now" ? "" : page.continue;
      if (next === "") this.#replaced(page.resourceVersion);
    } while (next !== "");
    this.#pageSize = pageSize;
  }

  async #page(next: string, signal: AbortSignal): ReturnType<ObjectSource["page"]> {
    const limit = this.#options.begin === "now" ? 1 : this.#pageSize;
    try {
      return await this.#source.page({ limit, ...(next === "" ? {} : { continue: next }) }, signal);
    } catch (error) {
      // History went faster than the pages: fewer and larger ones may make it.
      const isExpired = error instanceof StatusError && error.status.code === 410;
      if (isExpired) this.#pageSize = Math.min(this.#pageSize * 10, pageSizeMax);
      throw error;
    }
  }

  async #watch(from: string | undefined, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const stream = new StreamReading(clock, this.#limits.silentMsMax, (line) => this.#take(line));
    const initial = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", resourceVersion: "" };
    const timeoutSeconds = Math.ceil((this.#limits.watchMsMin * (1 + random.fraction())) / 1_000);
    if (from === undefined) this.#following.replacing();
    const parameters = {
      ...(from === undefined ? initial : { resourceVersion: from }),
      timeoutSeconds: String(timeoutSeconds),
    };
    try {
      await stream.read((sink, ended) => this.#source.watch(parameters, sink, ended), signal);
    } finally {
      if (stream.lastedMs >= goodStreamMs) this.#failures = 0;
    }
    if (stream.lines === 0 && stream.lastedMs < goodStreamMs) throw new StreamTooShort();
    if (this.#from === undefined) throw new Error("the watch ended before everything there is was told");
  }

  #take(line: WatchLine): void {
    switch (line.type) {
      case "error":
        throw new StatusError(line.status);
      case "bookmark":
        this.#bookmark(line.revision, line.endsInitialEvents);
        break;
      case "present":
      case "gone":
        this.#change(line);
        break;
      default:
        line satisfies never;
    }
  }

  #bookmark(revision: string, endsInitialEvents: boolean): void {
    if (this.#from === undefined) {
      if (endsInitialEvents) this.#replaced(revision);
      return;
    }
    this.#failures = 0;
    if (isOlder(revision, this.#from)) return;
    this.#from = revision;
    this.#following.reached(revision);
  }

  #change({ type, object, revision, plane }: WatchLine & { readonly type: "present" | "gone" }): void {
    const isInitial = this.#from === undefined;
    // A stream tells what happened in order: what is older than the last thing told was told before.
    if (this.#from !== undefined && isOlder(revision, this.#from)) return;
    const where = this.#source.planeOf(plane, object);
    try {
      if (type === "present") this.#following.present(object, where, revision);
      else this.#following.gone(object, where, revision);
    } catch (error) {
      this.#from = undefined; // told or not told: nobody knows
      throw error;
    }
    if (isInitial) return;
    this.#failures = 0;
    this.#from = revision;
    this.#following.reached(revision);
  }

  #replaced(revision: string): void {
    this.#following.replaced(revision);
    this.#from = revision;
    this.#following.reached(revision);
  }
}

function revisionIn(object: JsonObject): string {
  return String((object["metadata"] as JsonObject | undefined)?.["resourceVersion"] ?? "");
}
