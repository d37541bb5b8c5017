import { StatusError } from "../../protocol/api-status.ts";
import type { Clock } from "../../protocol/clock.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import { abortable } from "../abortable.ts";
import { type BackoffLimits, backoffMs, type Random } from "../backoff.ts";
import { ChildAbortController } from "../child-abort-controller.ts";
import { pageSize } from "../resources/request-options.ts";
import { sleep } from "../sleep.ts";
import { retryAfterOf } from "../transport/reply-status.ts";
import type { ListerWatcher } from "./lister-watcher.ts";
import { isOlder } from "./revision.ts";
import { canResumeAfter, refusesInitialEvents, StreamTooShort } from "./watch-errors.ts";
import type { WatchLine } from "./watch-line.ts";
import { WatchStreamReader } from "./watch-stream-reader.ts";

/** Receives the objects of a Reflector. An error in any method restarts it with a list, after a delay. */
export interface ReflectorObserver {
  /**
   * A list begins: existing objects follow in no order, up to `onReplaced`. Called again if the list has to start over.
   */
  onReplaceStarted(): void;
  /** Objects that were not passed since `onReplaceStarted` do not exist. */
  onReplaced(revision: string): void;
  onPresent(object: JsonObject, plane: string, revision: string): void;
  onDeleted(object: JsonObject, plane: string, revision: string): void;
  /** Everything up to this revision has been passed. */
  onProgress(revision: string): void;
  /** A list or watch failed. It is always retried. */
  onError(error: unknown): void;
}

export interface ReflectorOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** All objects and their changes, or only changes from now on. */
  readonly begin?: "everything" | "now";
  readonly limits?: Partial<ReflectorLimits>;
}

export interface ReflectorLimits {
  readonly backoff: BackoffLimits;
  /** A watch without any line for this long is considered dead. */
  readonly silentMsMax: number;
  /** Minimum duration to request for a watch; the actual one is up to twice as long, at random. */
  readonly watchMsMin: number;
  readonly retryAfterMsMax: number;
}

const defaultLimits: ReflectorLimits = {
  backoff: { minMs: 100, maxMs: 30_000 },
  silentMsMax: 150_000,
  watchMsMin: 300_000,
  retryAfterMsMax: 300_000,
};

/** A watch that lasted this long counts as healthy, even without events. */
const healthyStreamMs = 5_000;
const pageSizeMax = 50_000;

/** Aborts a watch in order to list again. */
const refreshing = new Error("listing again");

/**
 * Lists and watches objects, and recovers from every failure: resumes the watch, or lists again if necessary. Like the
 * Reflector of client-go.
 */
export class Reflector {
  readonly #source: ListerWatcher;
  readonly #observer: ReflectorObserver;
  readonly #options: ReflectorOptions;
  readonly #limits: ReflectorLimits;
  /** Everything up to here was passed; undefined when a list is needed. */
  #from: string | undefined;
  #streamsInitialEvents: boolean;
  #pageSize = pageSize;
  #failures = 0;
  #attempt: ChildAbortController | undefined;

  constructor(source: ListerWatcher, observer: ReflectorObserver, options: ReflectorOptions) {
    this.#source = source;
    this.#observer = observer;
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
      if (delayMs > 0) await sleep(this.#options.clock, delayMs, signal).catch(() => undefined);
    }
  }

  /** Whether a watch is open, or being opened, that continues from a known revision. */
  get isResuming(): boolean {
    return this.#attempt !== undefined && this.#from !== undefined;
  }

  /** Lists everything again, now. */
  refresh(): void {
    this.#from = undefined;
    this.#attempt?.abort(refreshing);
  }

  /** Runs one list or one watch; returns the error that ended it, if it counts as a failure. */
  async #once(signal: AbortSignal): Promise<unknown> {
    const attempt = new ChildAbortController(signal);
    this.#attempt = attempt;
    try {
      if (this.#from !== undefined) await this.#watch(this.#from, attempt.signal);
      else if (this.#streamsInitialEvents) await this.#watch(undefined, attempt.signal);
      else await abortable(this.#list(attempt.signal), attempt.signal);
      return undefined;
    } catch (error) {
      if (signal.aborted || error === refreshing) return undefined;
      this.#noteFailure(error);
      return error;
    } finally {
      attempt.release();
      this.#attempt = undefined;
    }
  }

  #noteFailure(error: unknown): void {
    if (this.#from === undefined && refusesInitialEvents(error)) this.#streamsInitialEvents = false;
    if (!canResumeAfter(error)) this.#from = undefined;
    this.#failures += 1;
    this.#observer.onError(error);
  }

  #delayAfter(error: unknown): number {
    if (error === undefined) return 0;
    const retryAfterMs = Math.min((retryAfterOf(error) ?? 0) * 1_000, this.#limits.retryAfterMsMax);
    return Math.max(retryAfterMs, backoffMs(this.#failures, this.#limits.backoff, this.#options.random));
  }

  async #list(signal: AbortSignal): Promise<void> {
    this.#observer.onReplaceStarted();
    let next = "";
    do {
      const page = await this.#page(next, signal);
      signal.throwIfAborted();
      for (const { object, plane } of this.#options.begin === "now" ? [] : page.items) {
        this.#observer.onPresent(object, this.#source.planeOf(plane, object), revisionIn(object));
      }
      next = this.#options.begin === "now" ? "" : page.continue;
      if (next === "") this.#replaced(page.resourceVersion);
    } while (next !== "");
    this.#pageSize = pageSize;
  }

  async #page(next: string, signal: AbortSignal): ReturnType<ListerWatcher["list"]> {
    const limit = this.#options.begin === "now" ? 1 : this.#pageSize;
    try {
      return await this.#source.list({ limit, ...(next === "" ? {} : { continue: next }) }, signal);
    } catch (error) {
      // The list expired before its last page: fewer and larger pages may make it.
      const isExpired = error instanceof StatusError && error.status.code === 410;
      if (isExpired) this.#pageSize = Math.min(this.#pageSize * 10, pageSizeMax);
      throw error;
    }
  }

  async #watch(from: string | undefined, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const stream = new WatchStreamReader(clock, this.#limits.silentMsMax, (line) => this.#take(line));
    const initial = { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", resourceVersion: "" };
    const timeoutSeconds = Math.ceil((this.#limits.watchMsMin * (1 + random.fraction())) / 1_000);
    if (from === undefined) this.#observer.onReplaceStarted();
    const parameters = {
      ...(from === undefined ? initial : { resourceVersion: from }),
      timeoutSeconds: String(timeoutSeconds),
    };
    try {
      await stream.read((sink, ended) => this.#source.watch(parameters, sink, ended), signal);
    } finally {
      if (stream.lastedMs >= healthyStreamMs) this.#failures = 0;
    }
    if (stream.lines === 0 && stream.lastedMs < healthyStreamMs) throw new StreamTooShort();
    if (this.#from === undefined) throw new Error("the watch ended before all initial events were received");
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
    this.#observer.onProgress(revision);
  }

  #change({ type, object, revision, plane }: WatchLine & { readonly type: "present" | "gone" }): void {
    const isInitial = this.#from === undefined;
    // Watch events are ordered: those older than the last one were passed before.
    if (this.#from !== undefined && isOlder(revision, this.#from)) return;
    const where = this.#source.planeOf(plane, object);
    try {
      if (type === "present") this.#observer.onPresent(object, where, revision);
      else this.#observer.onDeleted(object, where, revision);
    } catch (error) {
      this.#from = undefined; // unknown whether it was passed
      throw error;
    }
    if (isInitial) return;
    this.#failures = 0;
    this.#from = revision;
    this.#observer.onProgress(revision);
  }

  #replaced(revision: string): void {
    this.#observer.onReplaced(revision);
    this.#from = revision;
    this.#observer.onProgress(revision);
  }
}

function revisionIn(object: JsonObject): string {
  return String((object["metadata"] as JsonObject | undefined)?.["resourceVersion"] ?? "");
}
