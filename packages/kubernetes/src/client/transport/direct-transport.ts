import type { JsonObject } from "../../protocol/json-value.ts";
import type { UserInfo } from "../../protocol/user-info.ts";
import { ChildAbortController } from "../child-abort-controller.ts";
import type { AbortControllerLike } from "../light-abort-controller.ts";
import type { ApiRequest, ApiResponse, HandleRequest, MeasuredEvent, StreamSink } from "./api-request.ts";
import { isSuccess, replyError } from "./reply-status.ts";
import { type Call, ConnectionFailed, type LineSink, type Reply, type Transport } from "./transport.ts";

/** The User-Agent, which the server uses as the default field manager. */
const agent = ["milo-quota"];

/** Calls a server in the same process: no socket, no TLS, and no parsing of responses. */
export function directTransport(handle: HandleRequest, user: UserInfo): Transport {
  const deliveries = new Deliveries();
  return {
    request: async (call, signal) => {
      signal.throwIfAborted();
      // The server may abort a request through its own controller, which must not affect other work on the caller's
      // signal.
      const controller = new ChildAbortController(signal);
      try {
        const response = await handle(requestFor(call, user, controller));
        signal.throwIfAborted();
        return replyOf(call, response);
      } finally {
        controller.release();
      }
    },
    stream: async (call, sink, signal) => {
      signal.throwIfAborted();
      const controller = new ChildAbortController(signal);
      try {
        const { code, headers, body } = await handle(requestFor(call, user, controller));
        signal.throwIfAborted();
        if (typeof body === "string") throw streamError(call, { code, headers: flat(headers), body });
        await new Promise<void>((resolve, reject) => {
          const stream = new DirectStream(sink, deliveries, (error) =>
            error === undefined ? resolve() : reject(error),
          );
          controller.signal.addEventListener("abort", () => stream.close(signal.reason), { once: true });
          sink.onOpened();
          body.start(stream.sinkFor(call));
        });
      } finally {
        controller.release();
        controller.abort(new Error("the reader has closed the stream"));
      }
    },
    progress: async (call, signal) => {
      signal.throwIfAborted();
      const controller = new ChildAbortController(signal);
      try {
        const { code, headers, body } = await handle({
          ...requestFor(call, user, controller),
          asksProgress: true,
        });
        signal.throwIfAborted();
        if (typeof body !== "string" || code !== 200) throw progressError(call, { code, headers, body });
        return body;
      } finally {
        controller.release();
      }
    },
    close: async () => undefined,
  };
}

/** Everything but the object is created on demand, because it is rarely used. */
function replyOf(call: Call, response: ApiResponse): Reply {
  const { code, object } = response;
  if (object === undefined) return { code, headers: flat(response.headers), body: textIn(call, response) };
  return new ObjectReply(call, response, object);
}

class ObjectReply implements Reply {
  readonly code: number;
  readonly object: () => JsonObject;
  readonly #call: Call;
  readonly #response: ApiResponse;

  constructor(call: Call, response: ApiResponse, object: () => JsonObject) {
    this.code = response.code;
    this.object = object;
    this.#call = call;
    this.#response = response;
  }

  get headers(): Reply["headers"] {
    return flat(this.#response.headers);
  }

  get body(): string {
    return textIn(this.#call, this.#response);
  }
}

function textIn(call: Call, { body }: ApiResponse): string {
  if (typeof body === "string") return body;
  throw new ConnectionFailed(call, "the server responded with a stream to a request that is not a watch");
}

function streamError(call: Call, reply: Reply): Error {
  return isSuccess(reply)
    ? new ConnectionFailed(call, "the server did not respond with a stream")
    : replyError(call, reply);
}

function progressError(call: Call, response: ApiResponse): Error {
  const { code, headers } = response;
  return replyError(call, { code, headers: flat(headers), body: textIn(call, response) });
}

function requestFor(call: Call, user: UserInfo, abortController: AbortControllerLike): ApiRequest {
  const { method, path, query, body, reach, accept = json } = call;
  return {
    method,
    path,
    query,
    headers: headersFor(accept, body?.type),
    body: async () => body?.text ?? "",
    abortController,
    user,
    ...(reach === "all-planes" ? allPlanes : undefined),
  };
}

const allPlanes = { allPlanes: true };

const json = "application/json";
const readHeaders = { "user-agent": agent, accept: [json] };
/** By type of body; there are few. */
const writeHeaders = new Map<string, ApiRequest["headers"]>();

function headersFor(accept: string, type: string | undefined): ApiRequest["headers"] {
  if (accept !== json) {
    return { "user-agent": agent, accept: [accept], ...(type === undefined ? {} : { "content-type": [type] }) };
  }
  if (type === undefined) return readHeaders;
  const cached = writeHeaders.get(type);
  if (cached !== undefined) return cached;
  const headers = { ...readHeaders, "content-type": [type] };
  if (writeHeaders.size < writeHeadersMax) writeHeaders.set(type, headers);
  return headers;
}

const writeHeadersMax = 16;

function flat(headers: ApiResponse["headers"]): Reply["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === "string" ? value : value.join(", "),
    ]),
  );
}

/**
 * Pending deliveries of all streams, in the order of the server's writes, so that readers of several streams see
 * changes in order. Delivered in a later turn of the event loop, after responses.
 */
class Deliveries {
  #waiting: (() => void)[] = [];

  later(deliver: () => void): void {
    this.#waiting.push(deliver);
    if (this.#waiting.length === 1) setImmediate(() => this.#deliver());
  }

  #deliver(): void {
    const due = this.#waiting;
    this.#waiting = [];
    for (const deliver of due) deliver();
  }
}

/**
 * Pending lines of one stream. The server writes in the middle of its own work, so the reader is called in a later
 * turn; until then the lines count as unread, which gives backpressure.
 */
class DirectStream {
  readonly #sink: LineSink;
  readonly #settle: (error?: unknown) => void;
  readonly #deliveries: Deliveries;
  #waitingBytes = 0;
  #end: { readonly error?: unknown } | undefined;
  #isClosed = false;
  readonly #onDrain: (() => void)[] = [];
  readonly #onClose: (() => void)[] = [];

  constructor(sink: LineSink, deliveries: Deliveries, settle: (error?: unknown) => void) {
    this.#sink = sink;
    this.#deliveries = deliveries;
    this.#settle = settle;
  }

  sinkFor(call: Call): StreamSink {
    const waiting = (): number => this.#waitingBytes;
    return {
      write: (line) => this.#write(typeof line === "string" ? line : Buffer.from(line).toString("utf8")),
      event: (event) => this.#write(event),
      get waitingBytes() {
        return waiting();
      },
      end: () => this.#finish({}),
      cut: () => this.#finish({ error: new ConnectionFailed(call, "the server cut the stream") }),
      onDrain: (drained) => this.#onDrain.push(drained),
      onClose: (closed) => (this.#isClosed ? closed() : this.#onClose.push(closed)),
    };
  }

  /** The reader is done: pending lines are dropped. */
  close(reason: unknown): void {
    this.#closed({ error: reason });
  }

  #write(line: string | MeasuredEvent): void {
    if (this.#isClosed || this.#end !== undefined) return;
    this.#waitingBytes += line.length;
    this.#deliveries.later(() => this.#deliver(line));
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end ??= end;
    this.#deliveries.later(() => this.#closed(this.#end as { readonly error?: unknown }));
  }

  #deliver(line: string | MeasuredEvent): void {
    if (this.#isClosed) return;
    this.#waitingBytes -= line.length;
    this.#sink.onLine(line);
    if (this.#waitingBytes > 0) return;
    // In a later turn: the next megabyte of a long list must not delay other work.
    for (const drained of this.#onDrain.splice(0)) setImmediate(drained);
  }

  #closed({ error }: { readonly error?: unknown }): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const closed of this.#onClose.splice(0)) closed();
    this.#settle(error);
  }
}
