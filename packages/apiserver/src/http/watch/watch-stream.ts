import type { Stream, StreamSink } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, resourceExpired, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { Clock, Timer } from "@milo-quota/kubernetes/protocol/clock.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { formatApiVersion } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { type Selectors, selects, selectsEverything } from "../../registry/field-values.ts";
import type { ApiObject } from "../../registry/kinds/api-object.ts";
import { listObjects } from "../../registry/list.ts";
import { withMetadata } from "../../registry/metadata/metadata.ts";
import type { Random } from "../../registry/metadata/object-name.ts";
import { type ObjectRequest, scopeOf } from "../../registry/object-request.ts";
import { isInView } from "../../registry/scoped-view.ts";
import { type Change, type ObjectStore, RevisionCompacted } from "../../storage/object-store.ts";
import type { StoredObject } from "../../storage/stored-object.ts";
import { type ListOptions, revisionParameter } from "../requests/list-options.ts";
import { bookmarkText } from "../responses/representation.ts";
import type { ViewOptions } from "../responses/view-options.ts";
import type { EventLines } from "./event-lines.ts";
import type { OpenWatch, OpenWatches } from "./open-watches.ts";

interface Deps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Pick<Random, "fraction">;
  readonly watches: OpenWatches;
  readonly lines: EventLines;
  /** Identifies the watched objects, if progress may be requested for them. */
  readonly watched?: string;
}

/** The longest duration: timers cannot be set for longer ones. */
const durationMsMax = 24 * 60 * 60_000;

/**
 * The events of a watch, as lines of JSON. A client that falls behind gets no more lines until it has read what was
 * sent, and then continues from the history: it takes no memory of the server.
 */
export class WatchStream implements Stream, OpenWatch {
  readonly #deps: Deps;
  readonly #request: ObjectRequest;
  readonly #options: ListOptions;
  readonly #viewOptions: ViewOptions;
  #sink: StreamSink = noSink;
  /** Initial objects that were not sent yet. */
  #initial: Iterator<StoredObject> | undefined;
  #timers: Timer[] = [];
  #stalled: Timer | undefined;
  #stop: () => void = () => undefined;
  /** All changes up to this revision were sent, or did not concern this client. */
  #sent = 0;
  #isFirst = true;
  /** A bookmark was requested before everything was sent. */
  #isBookmarkDue = false;
  #state: "live" | "behind" | "closed" = "live";

  constructor(deps: Deps, request: ObjectRequest, options: ListOptions, viewOptions: ViewOptions) {
    this.#deps = deps;
    this.#request = request;
    this.#options = options;
    this.#viewOptions = viewOptions;
  }

  get plane(): string | undefined {
    return this.#request.allPlanes === true ? undefined : this.#request.plane;
  }

  get waitingBytes(): number {
    return this.#sink.waitingBytes;
  }

  start(sink: StreamSink): void {
    this.#sink = sink;
    sink.onClose(() => this.#close());
    this.#orFail(() => {
      this.#deps.watches.add(this, this.#request.user, this.#deps.watched);
      this.#begin();
      this.#continue();
    });
  }

  requestBookmark(): void {
    if (this.#request.isServed?.() === false) {
      this.finish();
      return;
    }
    this.#isBookmarkDue = !this.#isUpToDate;
    if (this.#isBookmarkDue) return;
    this.#sent = this.#deps.store.revision;
    this.#bookmark(false);
  }

  finish(): void {
    this.#close();
    this.#sink.end();
  }

  cut(): void {
    this.#close();
    this.#sink.cut();
  }

  #begin(): void {
    const { clock, random, watches } = this.#deps;
    const { timeoutSeconds = 0, allowBookmarks } = this.#options;
    const lifeMs = timeoutSeconds > 0 ? timeoutSeconds * 1_000 : watches.limits.durationMsMin * (1 + random.fraction());
    this.#timers.push(clock.after(Math.min(lifeMs, durationMsMax), () => this.#timeOut()));
    if (allowBookmarks) this.#bookmarkLater();
    const { sendInitialEvents, resourceVersion } = this.#options;
    const asked = revisionParameter(resourceVersion);
    this.#sent = asked || this.#deps.store.revision;
    if (sendInitialEvents === undefined ? asked > 0 : !sendInitialEvents) return;
    const { revision, items } = listObjects(this.#deps, this.#request, {
      selection: this.#options.selection,
      limit: 0,
      continueToken: "",
    });
    this.#sent = revision;
    this.#initial = items[Symbol.iterator]();
  }

  /** Sends what is due: first the initial objects, then the history, then live changes. */
  #continue(): void {
    if (this.#initial !== undefined) this.#sendInitial(this.#initial);
    if (this.#state !== "live" || this.#initial !== undefined) return;
    const stop = subscribe(this.#deps.store, scopeOf(this.#request), this.#sent, (change) => this.#deliver(change));
    this.#stop = stop;
    if (this.#state !== "live") stop();
    else if (this.#isBookmarkDue) this.requestBookmark();
  }

  #sendInitial(items: Iterator<StoredObject>): void {
    for (let next = items.next(); next.done !== true; next = items.next()) {
      this.#write("ADDED", next.value);
      if (this.#state !== "live") return;
    }
    this.#initial = undefined;
    if (this.#options.allowBookmarks) this.#bookmark(true);
  }

  #deliver(change: Change): void {
    if (this.#state !== "live") return;
    // After a change of the definition the client has to start over, with the new schema.
    if (this.#request.isServed?.() === false) {
      this.finish();
      return;
    }
    this.#sent = change.revision;
    const event = eventFor(change, this.#options.selection, this.#request);
    if (event !== undefined) this.#write(event.type, event.stored);
  }

  #write(type: string, stored: StoredObject): void {
    const line = this.#deps.lines.line(type, stored, this.#viewOptions, this.#isFirst);
    if (this.#sink.event === undefined) this.#sink.write(line.bytes);
    else this.#sink.event(line);
    this.#isFirst = false;
    this.#deps.watches.wrote(this);
    if (this.#state === "live" && this.waitingBytes > this.#deps.watches.limits.waitingBytesMax) this.#wait();
  }

  #wait(): void {
    const { clock, watches } = this.#deps;
    this.#state = "behind";
    this.#stop();
    this.#stalled = clock.after(watches.limits.stalledMsMax, () => this.cut());
    this.#sink.onDrain(() => {
      this.#stalled?.stop();
      if (this.#state !== "behind") return;
      this.#state = "live";
      this.#orFail(() => this.#continue());
    });
  }

  #bookmarkLater(): void {
    const { clock, watches, store } = this.#deps;
    this.#timers.push(
      clock.after(watches.limits.bookmarkMs, () => {
        this.#timers = [this.#timers[0] as Timer];
        if (this.#isUpToDate) this.#sent = store.revision;
        if (this.#isUpToDate) this.#bookmark(false);
        this.#bookmarkLater();
      }),
    );
  }

  /** Whether everything up to the latest revision was sent, or did not concern this client. */
  get #isUpToDate(): boolean {
    return this.#state === "live" && this.#initial === undefined;
  }

  #bookmark(endsInitialEvents: boolean): void {
    const { kind } = this.#request;
    const metadata = {
      resourceVersion: String(this.#sent),
      ...(endsInitialEvents ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
    };
    const object = { kind: kind.kind, apiVersion: formatApiVersion(kind.group, kind.version), metadata };
    const text = bookmarkText(object as unknown as ApiObject, this.#viewOptions, this.#isFirst);
    this.#isFirst = false;
    this.#sink.write(`{"type":"BOOKMARK","object":${text}}\n`);
  }

  /**
   * A client that accepts bookmarks gets one with the latest revision, so that it can resume however long nothing
   * changed.
   */
  #timeOut(): void {
    if (this.#isUpToDate && this.#options.allowBookmarks) {
      this.#sent = this.#deps.store.revision;
      this.#bookmark(false);
    }
    this.finish();
  }

  /** An error is sent as the last event. */
  #orFail(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      this.#sink.write(`${writeJson({ type: "ERROR", object: error.status })}\n`);
      this.finish();
    }
  }

  #close(): void {
    this.#state = "closed";
    this.#stop();
    this.#stalled?.stop();
    for (const timer of this.#timers) timer.stop();
    this.#timers = [];
    this.#initial = undefined;
    this.#deps.watches.remove(this);
  }
}

/** The sink of a stream before it is started. */
const noSink: StreamSink = {
  waitingBytes: 0,
  write: () => undefined,
  end: () => undefined,
  cut: () => undefined,
  onClose: () => undefined,
  onDrain: () => undefined,
};

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

/** The event of a change for a selector: an object may start or stop matching. */
function eventFor(
  change: Change,
  selection: Selectors,
  request: ObjectRequest,
): { readonly type: string; readonly stored: StoredObject } | undefined {
  const isAll = selectsEverything(selection);
  const seen = (stored: StoredObject | undefined): boolean =>
    stored !== undefined && (isAll || selects(selection, stored, request.kind)) && isInView(request, stored);
  const before = seen(change.previous);
  if (change.type === "deleted") return before ? { type: "DELETED", stored: change.stored } : undefined;
  const after = seen(change.stored);
  if (after) return { type: before ? "MODIFIED" : "ADDED", stored: change.stored };
  return before ? { type: "DELETED", stored: leftView(change) } : undefined;
}

/** The last state that the client could see, with the revision at which it stopped matching. */
function leftView({ previous, revision }: Change): StoredObject {
  const { key, object } = previous as StoredObject;
  const last = withMetadata(object, { resourceVersion: String(revision) });
  return { key, revision, object: last, text: writeJson(last) };
}

/** The error for a revision that this server has not reached. */
export function tooLargeRevision(asked: number, current: number): StatusError {
  const status = failure("Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
  return new StatusError(status);
}
