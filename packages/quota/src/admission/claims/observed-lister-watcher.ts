import type { StreamEvent as LineEvent, LineSink } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { ListerWatcher } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { StreamEvent, StreamObserver } from "./stream-observer.ts";

/** By the type at the beginning of each line of a watch. */
const events: Readonly<Record<string, StreamEvent>> = {
  ADDED: "Added",
  MODIFIED: "Modified",
  DELETED: "Deleted",
  BOOKMARK: "Bookmark",
  ERROR: "Error",
};

const typeOfLine = /^\s*\{\s*"type"\s*:\s*"([A-Z]+)"/;

/** Reports to an observer when watches connect, receive events, and end. */
export class ObservedListerWatcher implements ListerWatcher {
  readonly #source: ListerWatcher;
  readonly #clock: Clock;
  readonly #observer: StreamObserver;
  readonly progress?: NonNullable<ListerWatcher["progress"]>;
  /** Undefined while no watch is connected. */
  #openSinceMs: number | undefined;
  #failedAtMs: number | undefined;
  #bookmarkAtMs: number | undefined;
  #hasFailed = false;
  #isStopping = false;

  constructor(source: ListerWatcher, clock: Clock, observer: StreamObserver) {
    this.#source = source;
    this.#clock = clock;
    this.#observer = observer;
    const { progress } = source;
    if (progress !== undefined) this.progress = (signal) => progress(signal);
  }

  get isConnected(): boolean {
    return this.#openSinceMs !== undefined;
  }

  get uptimeMs(): number {
    return this.#openSinceMs === undefined ? 0 : this.#clock.now() - this.#openSinceMs;
  }

  /** Time since the last bookmark; 0 while no watch is connected. */
  get bookmarkAgeMs(): number {
    const sinceMs = this.#bookmarkAtMs ?? this.#openSinceMs;
    return this.#openSinceMs === undefined || sinceMs === undefined ? 0 : this.#clock.now() - sinceMs;
  }

  list(...given: Parameters<ListerWatcher["list"]>): ReturnType<ListerWatcher["list"]> {
    return this.#source.list(...given);
  }

  planeOf(...given: Parameters<ListerWatcher["planeOf"]>): string {
    return this.#source.planeOf(...given);
  }

  /** From now on, the end of a watch is no failure. */
  markStopping(): void {
    this.#isStopping = true;
  }

  async watch(
    parameters: Readonly<Record<string, string | undefined>>,
    sink: LineSink,
    signal: AbortSignal,
  ): Promise<void> {
    this.#hasFailed = false;
    try {
      await this.#source.watch(parameters, this.#observed(sink), signal);
    } catch (error) {
      this.#fail(statusCodeOf(error));
      throw error;
    } finally {
      this.#close();
    }
  }

  #observed(sink: LineSink): LineSink {
    return {
      onOpened: () => {
        this.#open();
        sink.onOpened();
      },
      onLine: (line) => {
        this.#receive(line);
        sink.onLine(line);
      },
    };
  }

  #open(): void {
    this.#openSinceMs = this.#clock.now();
    this.#bookmarkAtMs = undefined;
    this.#observer.onConnected?.();
    if (this.#failedAtMs !== undefined) this.#observer.onRestarted?.(this.#clock.now() - this.#failedAtMs);
    this.#failedAtMs = undefined;
  }

  #receive(line: string | LineEvent): void {
    const event = events[typeIn(line)];
    if (event === undefined) return;
    if (event === "Bookmark") this.#bookmarkAtMs = this.#clock.now();
    if (event === "Error") this.#fail(codeIn(line));
    this.#observer.onReceived?.(event);
  }

  /** Once for each watch: an error event and the end of the watch that follows it are one failure. */
  #fail(statusCode: string): void {
    if (this.#isStopping || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#failedAtMs ??= this.#clock.now();
    this.#observer.onFailed?.(statusCode);
  }

  #close(): void {
    if (this.#openSinceMs === undefined) return;
    this.#observer.onDisconnected?.(this.#hasFailed ? "error" : "shutdown", this.uptimeMs);
    this.#openSinceMs = undefined;
  }
}

function typeIn(line: string | LineEvent): string {
  return typeof line === "string" ? (typeOfLine.exec(line)?.[1] ?? "") : line.type;
}

/** The status code in an ERROR event. */
function codeIn(line: string | LineEvent): string {
  if (typeof line !== "string") return String(line.object["code"] ?? "unknown");
  return /"code"\s*:\s*(\d{3})\b/.exec(line)?.[1] ?? "unknown";
}

function statusCodeOf(error: unknown): string {
  return error instanceof StatusError ? String(error.status.code) : "unknown";
}
