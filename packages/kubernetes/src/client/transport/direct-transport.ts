import type { JsonObject } from "../../protocol/json-value.ts";
import type { UserInfo } from "../../protocol/user-info.ts";
import { ChildAbort } from "../child-abort.ts";
import type { Abort } from "../shared-abort.ts";
import type { AnswerRequest, ApiAnswer, ApiRequest, MeasuredEvent, StreamSink } from "./api-request.ts";
import { isSuccess, refusal } from "./reply-status.ts";
import { type Call, ConnectionFailed, type LineSink, type Reply, type Transport } from "./transport.ts";

/** By this name a server remembers who set which field. */
const agent = ["milo-quota"];

/** Straight into a server in the same process: no socket, no TLS, and answers need not be read. */
export function directTransport(handle: AnswerRequest, user: UserInfo): Transport {
  const deliveries = new Deliveries();
  return {
    request: async (call, signal) => {
      signal.throwIfAborted();
      // The server ends a request by its own controller: that must not end what else hangs on the caller's signal.
      const life = new ChildAbort(signal);
      try {
        const answer = await handle(requestFor(call, user, life));
        signal.throwIfAborted();
        return replyOf(call, answer);
      } finally {
        life.release();
      }
    },
    stream: async (call, sink, signal) => {
      signal.throwIfAborted();
      const life = new ChildAbort(signal);
      try {
        const { code, headers, body } = await handle(requestFor(call, user, life));
        signal.throwIfAborted();
        if (typeof body === "string") throw refusedStream(call, { code, headers: flat(headers), body });
        await new Promise<void>((resolve, reject) => {
          const stream = new DirectStream(sink, deliveries, (error) =>
            error === undefined ? resolve() : reject(error),
          );
          life.signal.addEventListener("abort", () => stream.close(signal.reason), { once: true });
          sink.opened();
          body.start(stream.sinkFor(call));
        });
      } finally {
        life.release();
        life.abort(new Error("nobody reads this stream any more"));
      }
    },
    progress: async (call, signal) => {
      signal.throwIfAborted();
      const life = new ChildAbort(signal);
      try {
        const { code, headers, body } = await handle({
          ...requestFor(call, user, life),
          asksProgress: true,
        });
        signal.throwIfAborted();
        if (typeof body !== "string" || code !== 200) throw refusedProgress(call, { code, headers, body });
        return body;
      } finally {
        life.release();
      }
    },
    close: async () => undefined,
  };
}

/** What nobody looks at is not made: with an object at hand, that is nearly all else. */
function replyOf(call: Call, answer: ApiAnswer): Reply {
  const { code, object } = answer;
  if (object === undefined) return { code, headers: flat(answer.headers), body: textIn(call, answer) };
  return new ObjectReply(call, answer, object);
}

class ObjectReply implements Reply {
  readonly code: number;
  readonly object: () => JsonObject;
  readonly #call: Call;
  readonly #answer: ApiAnswer;

  constructor(call: Call, answer: ApiAnswer, object: () => JsonObject) {
    this.code = answer.code;
    this.object = object;
    this.#call = call;
    this.#answer = answer;
  }

  get headers(): Reply["headers"] {
    return flat(this.#answer.headers);
  }

  get body(): string {
    return textIn(this.#call, this.#answer);
  }
}

function textIn(call: Call, { body }: ApiAnswer): string {
  if (typeof body === "string") return body;
  throw new ConnectionFailed(call, "a stream was answered where none was asked for");
}

function refusedStream(call: Call, reply: Reply): Error {
  return isSuccess(reply)
    ? new ConnectionFailed(call, "no stream was answered where one was asked for")
    : refusal(call, reply);
}

function refusedProgress(call: Call, answer: ApiAnswer): Error {
  const { code, headers } = answer;
  return refusal(call, { code, headers: flat(headers), body: textIn(call, answer) });
}

function requestFor(call: Call, user: UserInfo, life: Abort): ApiRequest {
  const { method, path, query, body, reach, accept = json } = call;
  return {
    method,
    path,
    query,
    headers: headersFor(accept, body?.type),
    body: async () => body?.text ?? "",
    life,
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
  const known = writeHeaders.get(type);
  if (known !== undefined) return known;
  const headers = { ...readHeaders, "content-type": [type] };
  if (writeHeaders.size < writeHeadersMax) writeHeaders.set(type, headers);
  return headers;
}

const writeHeadersMax = 16;

function flat(headers: ApiAnswer["headers"]): Reply["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === "string" ? value : value.join(", "),
    ]),
  );
}

/**
 * What is on its way to readers of all streams, in the order in which the server wrote it: nobody hears of a claim before
 * what was written before it. In a later turn: whoever waits for an answer has it by then.
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
 * Lines on their way. The server writes in the middle of its own work, so the reader is called in a later turn; until
 * then the lines count as waiting, by which the server holds back.
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

  /** The reader has had enough: what is on its way is dropped. */
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
    this.#sink.line(line);
    if (this.#waitingBytes > 0) return;
    // In a turn of its own: the next megabyte of a long list must not keep everybody else waiting.
    for (const drained of this.#onDrain.splice(0)) setImmediate(drained);
  }

  #closed({ error }: { readonly error?: unknown }): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const closed of this.#onClose.splice(0)) closed();
    this.#settle(error);
  }
}
