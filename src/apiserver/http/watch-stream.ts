import { failure, resourceExpired, StatusError } from "../../protocol/api-status.ts";
import type { Clock, Timer } from "../../protocol/clock.ts";
import { writeJson } from "../../protocol/json-writer.ts";
import { formatApiVersion } from "../../protocol/object-meta.ts";
import { type Selection, selects } from "../registry/field-values.ts";
import { listObjects } from "../registry/list.ts";
import { withMetadata } from "../registry/metadata.ts";
import { type ObjectRequest, scopeOf } from "../registry/object-request.ts";
import type { ApiObject } from "../registry/served-kind.ts";
import { type Change, type ObjectStore, RevisionCompacted, type StoredObject } from "../storage/object-store.ts";
import type { Stream, StreamSink } from "./api-request.ts";
import type { EventLines } from "./event-lines.ts";
import { type ListOptions, revisionParameter } from "./list-options.ts";
import type { Showing } from "./representation.ts";

export interface WatchLimits {
  /** Bytes that a client may be behind before it is cut off. */
  readonly waitingBytesMax: number;
  readonly bookmarkMs: number;
}

export const watchLimits: WatchLimits = { waitingBytesMax: 16 * 1024 * 1024, bookmarkMs: 60_000 };

interface Ports {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly limits: WatchLimits;
  readonly lines: EventLines;
}

/** What happens to the objects of a request, as lines of JSON, until one side has enough. */
export class WatchStream implements Stream {
  readonly #ports: Ports;
  readonly #request: ObjectRequest;
  readonly #options: ListOptions;
  readonly #showing: Showing;
  #timers: Timer[] = [];
  #stop: () => void = () => undefined;
  #sent = 0;
  #isFirst = true;
  #isClosed = false;

  constructor(ports: Ports, request: ObjectRequest, options: ListOptions, showing: Showing) {
    this.#ports = ports;
    this.#request = request;
    this.#options = options;
    this.#showing = showing;
  }

  start(sink: StreamSink): void {
    sink.onClose(() => this.#close());
    try {
      this.#begin(sink);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#fail(sink, error);
    }
  }

  #begin(sink: StreamSink): void {
    const { store, clock } = this.#ports;
    const from = this.#initialEvents(sink);
    this.#stop = subscribe(store, scopeOf(this.#request), from, (change) => this.#deliver(sink, change));
    if (this.#isClosed) this.#stop();
    const { timeoutSeconds = 0, allowBookmarks } = this.#options;
    if (timeoutSeconds > 0) this.#timers.push(clock.after(timeoutSeconds * 1_000, () => this.#timeOut(sink)));
    if (allowBookmarks) this.#bookmarkLater(sink);
  }

  /** Sends what is there, if the client wants to start from that; returns the revision to go on from. */
  #initialEvents(sink: StreamSink): number {
    const { sendInitialEvents, resourceVersion } = this.#options;
    const asked = revisionParameter(resourceVersion);
    if (sendInitialEvents === undefined ? asked > 0 : !sendInitialEvents) return asked || this.#ports.store.revision;
    const { revision, items } = listObjects(this.#ports, this.#request, {
      selection: this.#options.selection,
      limit: 0,
      continueToken: "",
    });
    for (const stored of items) this.#write(sink, "ADDED", stored);
    this.#sent = revision;
    if (sendInitialEvents === true && this.#options.allowBookmarks) this.#bookmark(sink, true);
    return revision;
  }

  #deliver(sink: StreamSink, change: Change): void {
    if (this.#isClosed) return;
    this.#sent = change.revision;
    const event = eventFor(change, this.#options.selection, this.#request);
    if (event === undefined) return;
    this.#write(sink, event.type, event.stored);
    // A client that does not keep up must not fill our memory; it starts over from the last event it got.
    if (sink.waitingBytes > this.#ports.limits.waitingBytesMax) {
      this.#close();
      sink.cut();
    }
  }

  #write(sink: StreamSink, type: string, stored: StoredObject): void {
    sink.write(this.#ports.lines.line(type, stored, this.#showing, this.#isFirst));
    this.#isFirst = false;
  }

  #bookmarkLater(sink: StreamSink): void {
    const { clock, limits, store } = this.#ports;
    this.#timers.push(
      clock.after(limits.bookmarkMs, () => {
        this.#timers = this.#timers.slice(-1);
        // Everything up to the newest revision was delivered, if only by having nothing in it for this client.
        this.#sent = store.revision;
        this.#bookmark(sink, false);
        this.#bookmarkLater(sink);
      }),
    );
  }

  #bookmark(sink: StreamSink, endsInitialEvents: boolean): void {
    const { kind } = this.#request;
    const metadata = {
      resourceVersion: String(this.#sent),
      ...(endsInitialEvents ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
    };
    const object = { kind: kind.kind, apiVersion: formatApiVersion(kind.group, kind.version), metadata };
    sink.write(`${writeJson({ type: "BOOKMARK", object })}\n`);
  }

  /** A client that takes bookmarks goes on from the very end, however long nothing happened. */
  #timeOut(sink: StreamSink): void {
    this.#sent = this.#ports.store.revision;
    if (this.#options.allowBookmarks) this.#bookmark(sink, false);
    this.#finish(sink);
  }

  #fail(sink: StreamSink, error: StatusError): void {
    sink.write(`${writeJson({ type: "ERROR", object: error.status })}\n`);
    this.#finish(sink);
  }

  #finish(sink: StreamSink): void {
    this.#close();
    sink.end();
  }

  #close(): void {
    this.#isClosed = true;
    this.#stop();
    for (const timer of this.#timers) timer.stop();
    this.#timers = [];
  }
}

function subscribe(
  store: ObjectStore,
  scope: ReturnType<typeof scopeOf>,
  from: number,
  listener: (change: Change) => void,
): () => void {
  try {
    return store.watch(scope, from, listener);
  } catch (error) {
    if (!(error instanceof RevisionCompacted)) throw error;
    throw new StatusError(resourceExpired(`too old resource version: ${from} (${store.oldestRevision})`));
  }
}

/** What a change means to a client that sees a part of the objects: one may come into view, or leave it. */
function eventFor(
  change: Change,
  selection: Selection,
  { kind }: ObjectRequest,
): { readonly type: string; readonly stored: StoredObject } | undefined {
  const seen = (stored: StoredObject | undefined): boolean =>
    stored !== undefined && selects(selection, stored.object as ApiObject, kind);
  const before = seen(change.previous);
  if (change.type === "deleted") return before ? { type: "DELETED", stored: change.stored } : undefined;
  const after = seen(change.stored);
  if (after) return { type: before ? "MODIFIED" : "ADDED", stored: change.stored };
  return before ? { type: "DELETED", stored: leftView(change) } : undefined;
}

/** The last state that the client could see, under the revision at which it left its view. */
function leftView({ previous, revision }: Change): StoredObject {
  const { key, object } = previous as StoredObject;
  const last = withMetadata(object, { resourceVersion: String(revision) });
  return { key, revision, object: last, text: writeJson(last) };
}

/** The answer to a revision that this server has not reached. */
export function tooLargeRevision(asked: number, current: number): StatusError {
  const status = failure("Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
  return new StatusError(status);
}
