// A small server behind a faulty network: it cuts streams, loses responses, sends lines late or twice, is too busy,
// drops history, and may not support streaming of initial events.
import type { RawPage } from "../src/client/resources/list-page.ts";
import { ConnectionFailed, type LineSink } from "../src/client/transport/transport.ts";
import type { ListerWatcher } from "../src/client/watch/lister-watcher.ts";
import { type ApiStatus, failure, resourceExpired, StatusError, tooManyRequests } from "../src/protocol/api-status.ts";
import type { JsonObject } from "../src/protocol/json-value.ts";
import { writeJson } from "../src/protocol/json-writer.ts";

interface Stored {
  readonly name: string;
  readonly uid: string;
  readonly revision: number;
  readonly value: string;
}

interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly stored: Stored;
}

interface OpenStream {
  readonly sink: LineSink;
  /** Lines in flight. */
  readonly lines: string[];
  next: number;
  /** The connection delivers no more lines, without an error. */
  isDead: boolean;
  end(error?: unknown): void;
}

const call = { method: "GET", path: "/things" } as const;

export class FaultySource implements ListerWatcher {
  readonly objects = new Map<string, Stored>();
  readonly #history: Change[] = [];
  readonly #old: OpenStream[] = [];
  readonly #late: (() => void)[] = [];
  readonly #streamsInitialEvents: boolean;
  #revision = 10;
  #compacted = 10;
  #uids = 0;
  #open: OpenStream | undefined;
  /** The faults of the next requests. */
  readonly plannedFaults: ("cut" | "busy" | "gone" | "broken" | "delay")[] = [];

  constructor(streamsInitialEvents: boolean) {
    this.#streamsInitialEvents = streamsInitialEvents;
  }

  get revision(): string {
    return String(this.#revision);
  }

  write(name: string, value: string): void {
    const before = this.objects.get(name);
    this.#revision += 1;
    this.#uids += before === undefined ? 1 : 0;
    const stored = { name, uid: before?.uid ?? `uid-${this.#uids}`, revision: this.#revision, value };
    this.objects.set(name, stored);
    this.#changed({ type: before === undefined ? "ADDED" : "MODIFIED", stored });
  }

  remove(name: string): void {
    const before = this.objects.get(name);
    if (before === undefined) return;
    this.#revision += 1;
    this.objects.delete(name);
    this.#changed({ type: "DELETED", stored: { ...before, revision: this.#revision } });
  }

  /** Drops the history up to now. */
  compact(): void {
    this.#compacted = this.#revision;
  }

  /** Delivers some of the lines in flight, perhaps a second time. */
  deliver(count: number, twice: boolean): void {
    const stream = this.#open;
    if (stream === undefined) return;
    this.#fill(stream);
    if (stream.isDead) return;
    const lines = stream.lines.splice(0, count);
    for (const line of twice ? [...lines, ...lines] : lines) stream.sink.onLine(line);
  }

  bookmark(): void {
    const stream = this.#open;
    if (stream === undefined) return;
    this.#fill(stream);
    stream.lines.push(bookmarkLine(this.#revision, false));
  }

  /** Delivers lines of streams that have ended. */
  deliverLate(): void {
    for (const { sink, lines } of this.#old.splice(0)) for (const line of lines) sink.onLine(line);
  }

  cut(how: "in order" | "broken"): void {
    this.#open?.end(how === "in order" ? undefined : new ConnectionFailed(call, "cut"));
  }

  /** The server ends the stream with an error event. */
  sendError(status: ApiStatus): void {
    this.#open?.sink.onLine(writeJson({ type: "ERROR", object: status }));
  }

  die(): void {
    if (this.#open !== undefined) this.#open.isDead = true;
  }

  answerLate(): void {
    for (const answer of this.#late.splice(0)) answer();
  }

  planeOf(): string {
    return "root";
  }

  async list({ limit = 500, continue: token = "" }: { limit?: number; continue?: string }): Promise<RawPage> {
    await this.#fault();
    const [revision, after] = token === "" ? [this.#revision, ""] : (JSON.parse(token) as [number, string]);
    if (revision < this.#compacted)
      throw new StatusError(resourceExpired("The provided continue parameter is too old"));
    const all = this.#at(revision).filter(({ name }) => name > after);
    const items = all.slice(0, Math.min(limit, 2)); // small pages, so that there are many
    const last = items.at(-1);
    return {
      items: items.map((stored) => ({ object: objectOf(stored), plane: undefined })),
      resourceVersion: String(revision),
      continue: last !== undefined && items.length < all.length ? JSON.stringify([revision, last.name]) : "",
    };
  }

  async watch(
    parameters: Readonly<Record<string, string | undefined>>,
    sink: LineSink,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#fault();
    const isInitial = parameters["sendInitialEvents"] === "true";
    if (isInitial && !this.#streamsInitialEvents)
      throw new StatusError(failure("Invalid", "sendInitialEvents is forbidden"));
    const from = Number(parameters["resourceVersion"] || this.#revision);
    if (from < this.#compacted) throw new StatusError(resourceExpired("too old resource version"));
    sink.onOpened();
    await new Promise<void>((resolve, reject) => {
      const stream: OpenStream = {
        sink,
        lines: isInitial ? this.#initialLines() : [],
        next: from,
        isDead: false,
        end: (error) => {
          this.#fill(stream);
          this.#old.push(stream);
          if (this.#open === stream) this.#open = undefined;
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      this.#open = stream;
      signal.addEventListener("abort", () => stream.end(signal.reason), { once: true });
      if (signal.aborted) stream.end(signal.reason);
    });
  }

  #initialLines(): string[] {
    const lines = [...this.objects.values()].map((stored) => eventLine("ADDED", stored));
    return [
      ...lines.slice(0, 1),
      bookmarkLine(this.#revision, false),
      ...lines.slice(1),
      bookmarkLine(this.#revision, true),
    ];
  }

  async #fault(): Promise<void> {
    switch (this.plannedFaults.shift()) {
      case "cut":
        throw new ConnectionFailed(call, "ECONNRESET");
      case "busy":
        throw new StatusError(tooManyRequests("too many requests", 2));
      case "gone":
        throw new StatusError(resourceExpired("too old resource version"));
      case "broken":
        throw new StatusError(failure("InternalError", "etcdserver: leader changed"));
      case "delay":
        return new Promise((resolve) => this.#late.push(resolve));
      case undefined:
        return undefined;
    }
  }

  #at(revision: number): Stored[] {
    const state = new Map<string, Stored>();
    for (const { type, stored } of this.#history) {
      if (stored.revision > revision) break;
      if (type === "DELETED") state.delete(stored.name);
      else state.set(stored.name, stored);
    }
    return [...state.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  #changed(change: Change): void {
    this.#history.push(change);
  }

  #fill(stream: OpenStream): void {
    for (const { type, stored } of this.#history) {
      if (stored.revision > stream.next) stream.lines.push(eventLine(type, stored));
    }
    stream.next = this.#revision;
  }
}

function objectOf({ name, uid, revision, value }: Stored): JsonObject {
  return { kind: "Thing", apiVersion: "v1", metadata: { name, uid, resourceVersion: String(revision) }, value };
}

function eventLine(type: string, stored: Stored): string {
  return writeJson({ type, object: objectOf(stored) });
}

function bookmarkLine(revision: number, endsInitialEvents: boolean): string {
  const annotations = endsInitialEvents ? { annotations: { "k8s.io/initial-events-end": "true" } } : {};
  return writeJson({
    type: "BOOKMARK",
    object: { kind: "Thing", apiVersion: "v1", metadata: { resourceVersion: String(revision), ...annotations } },
  });
}
