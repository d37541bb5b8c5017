import type { StreamEvent as LineEvent, LineSink } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { ObjectSource } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import { StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import type { StreamEvent, StreamListener } from "./stream-listener.ts";

/** The words of the protocol, as they stand at the beginning of each line. */
const events: Readonly<Record<string, StreamEvent>> = {
  ADDED: "Added",
  MODIFIED: "Modified",
  DELETED: "Deleted",
  BOOKMARK: "Bookmark",
  ERROR: "Error",
};

const typeOfLine = /^\s*\{\s*"type"\s*:\s*"([A-Z]+)"/;

/** A source whose streams are watched by somebody who counts: when they are open, what comes, and how they end. */
export class ObservedSource implements ObjectSource {
  readonly #source: ObjectSource;
  readonly #clock: Clock;
  readonly #told: StreamListener;
  readonly progress?: NonNullable<ObjectSource["progress"]>;
  /** Since when the stream is open; undefined while it is not. */
  #openSinceMs: number | undefined;
  #failedAtMs: number | undefined;
  #bookmarkAtMs: number | undefined;
  #hasFailed = false;
  #isStopping = false;

  constructor(source: ObjectSource, clock: Clock, told: StreamListener) {
    this.#source = source;
    this.#clock = clock;
    this.#told = told;
    const { progress } = source;
    if (progress !== undefined) this.progress = (signal) => progress(signal);
  }

  get isConnected(): boolean {
    return this.#openSinceMs !== undefined;
  }

  get uptimeMs(): number {
    return this.#openSinceMs === undefined ? 0 : this.#clock.now() - this.#openSinceMs;
  }

  /** How long ago the server last said how far it is; 0 while no stream is open. */
  get bookmarkAgeMs(): number {
    const sinceMs = this.#bookmarkAtMs ?? this.#openSinceMs;
    return this.#openSinceMs === undefined || sinceMs === undefined ? 0 : this.#clock.now() - sinceMs;
  }

  page(...given: Parameters<ObjectSource["page"]>): ReturnType<ObjectSource["page"]> {
    return this.#source.page(...given);
  }

  planeOf(...given: Parameters<ObjectSource["planeOf"]>): string {
    return this.#source.planeOf(...given);
  }

  /** What ends from now on ends because we want it. */
  stopping(): void {
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
      opened: () => {
        this.#open();
        sink.opened();
      },
      line: (line) => {
        this.#hear(line);
        sink.line(line);
      },
    };
  }

  #open(): void {
    this.#openSinceMs = this.#clock.now();
    this.#bookmarkAtMs = undefined;
    this.#told.connected?.();
    if (this.#failedAtMs !== undefined) this.#told.restarted?.(this.#clock.now() - this.#failedAtMs);
    this.#failedAtMs = undefined;
  }

  #hear(line: string | LineEvent): void {
    const event = events[typeIn(line)];
    if (event === undefined) return;
    if (event === "Bookmark") this.#bookmarkAtMs = this.#clock.now();
    if (event === "Error") this.#fail(codeIn(line));
    this.#told.received?.(event);
  }

  /** Once for each stream: a line that says so, and the end that follows it, are one failure. */
  #fail(statusCode: string): void {
    if (this.#isStopping || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#failedAtMs ??= this.#clock.now();
    this.#told.failed?.(statusCode);
  }

  #close(): void {
    if (this.#openSinceMs === undefined) return;
    this.#told.disconnected?.(this.#hasFailed ? "error" : "shutdown", this.uptimeMs);
    this.#openSinceMs = undefined;
  }
}

function typeIn(line: string | LineEvent): string {
  return typeof line === "string" ? (typeOfLine.exec(line)?.[1] ?? "") : line.type;
}

/** Of an event that says what went wrong. */
function codeIn(line: string | LineEvent): string {
  if (typeof line !== "string") return String(line.object["code"] ?? "unknown");
  return /"code"\s*:\s*(\d{3})\b/.exec(line)?.[1] ?? "unknown";
}

function statusCodeOf(error: unknown): string {
  return error instanceof StatusError ? String(error.status.code) : "unknown";
}
