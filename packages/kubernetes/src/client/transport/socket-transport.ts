import type { Dispatcher } from "undici";
import { untilAborted } from "../until-aborted.ts";
import type { ClusterAccess, Identity } from "./cluster-access.ts";
import { defaultSocketLimits, dispatcherFor, type SocketLimits, tlsOptions } from "./dispatchers.ts";
import { Http2Sessions, type OpenAnswer } from "./http2-sessions.ts";
import { LineSplitter } from "./line-splitter.ts";
import { isSuccess, refusal } from "./reply-status.ts";
import { answerBytesMax, type Call, ConnectionFailed, type LineSink, type Reply, type Transport } from "./transport.ts";

/** The connections of one identity: TLS shows who we are, so another identity needs others. */
interface Connections {
  readonly identity: Identity;
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
  readonly http2: Http2Sessions | undefined;
}

export interface SocketOptions {
  readonly limits?: Partial<SocketLimits>;
  /** What we call ourselves to the server, for its logs. */
  readonly userAgent: string;
}

/**
 * To a server over the network. Requests take keep-alive connections of HTTP/1.1, one at a time on each, so that a lost
 * connection fails exactly one request and nothing is ever sent twice unasked. Streams, which may be many and are
 * mostly silent, share connections of HTTP/2 where the server offers it.
 */
export class SocketTransport implements Transport {
  readonly #access: ClusterAccess;
  readonly #limits: SocketLimits;
  readonly #userAgent: string;
  #connections: Connections | undefined;
  readonly #retired = new Set<Promise<void>>();

  constructor(access: ClusterAccess, { limits, userAgent }: SocketOptions) {
    this.#access = access;
    this.#limits = { ...defaultSocketLimits, ...limits };
    this.#userAgent = userAgent;
  }

  async request(call: Call, signal: AbortSignal): Promise<Reply> {
    return this.#believed(call, signal, async ({ identity, requests }) => {
      const answer = await this.#send(requests, call, identity, signal);
      return { code: answer.code, headers: answer.headers, body: await wholeBody(answer) };
    });
  }

  async stream(call: Call, sink: LineSink, signal: AbortSignal): Promise<void> {
    const answer = await this.#believed(call, signal, async (connections) => {
      const opened = await this.#openStream(connections, call, signal);
      if (isSuccess(opened)) return opened;
      return { ...opened, body: await wholeBody(opened) };
    });
    if ("body" in answer) throw refusal(call, answer);
    sink.opened();
    await this.#named(call, signal, () => readLines(answer, sink));
  }

  async close(): Promise<void> {
    const connections = this.#connections;
    this.#connections = undefined;
    if (connections !== undefined) await retire(connections);
    await Promise.all(this.#retired);
  }

  /** A refusal of our credentials has changed nothing, so with newer ones the call is made once more. */
  async #believed<Answer extends { readonly code: number }>(
    call: Call,
    signal: AbortSignal,
    send: (connections: Connections) => Promise<Answer>,
  ): Promise<Answer> {
    if (call.reach !== undefined)
      throw new ConnectionFailed(call, "only a server in this process shows all planes at once");
    const identity = await untilAborted(this.#access.identity(signal), signal);
    const answer = await this.#named(call, signal, () => send(this.#connectionsOf(identity)));
    if (answer.code !== 401) return answer;
    this.#access.refused(identity);
    const newer = await untilAborted(this.#access.identity(signal), signal);
    return newer === identity ? answer : this.#named(call, signal, () => send(this.#connectionsOf(newer)));
  }

  #connectionsOf(identity: Identity): Connections {
    const current = this.#connections;
    if (current?.identity === identity) return current;
    if (current !== undefined && sameTls(current.identity, identity)) {
      this.#connections = { ...current, identity };
      return this.#connections;
    }
    if (current !== undefined) this.#retire(current);
    const tls = tlsOptions(this.#access, identity);
    const { server, proxy } = this.#access;
    this.#connections = {
      identity,
      requests: dispatcherFor(this.#access, tls, "requests", this.#limits),
      streams: dispatcherFor(this.#access, tls, "streams", this.#limits),
      http2: server.protocol === "https:" && proxy === undefined ? new Http2Sessions(server, tls) : undefined,
    };
    return this.#connections;
  }

  #retire(connections: Connections): void {
    const done: Promise<void> = retire(connections).finally(() => this.#retired.delete(done));
    this.#retired.add(done);
  }

  async #openStream({ identity, http2, streams }: Connections, call: Call, signal: AbortSignal): Promise<OpenAnswer> {
    const overHttp2 = await http2?.open(this.#path(call), this.#headers(call, identity), signal);
    return overHttp2 ?? this.#send(streams, call, identity, signal);
  }

  async #send(dispatcher: Dispatcher, call: Call, identity: Identity, signal: AbortSignal): Promise<OpenAnswer> {
    const { statusCode, headers, body } = await dispatcher.request({
      origin: this.#access.server.origin,
      method: call.method,
      path: this.#path(call),
      headers: this.#headers(call, identity) as Record<string, string | string[]>,
      body: call.body?.text ?? null,
      reset: false, // a deletion with a body is nothing odd to an API server: its connection is kept
      signal,
    });
    const flat = Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]);
    return { code: statusCode, headers: Object.fromEntries(flat), chunks: body };
  }

  #path({ path, query }: Call): string {
    const search = query.toString();
    const prefix = this.#access.server.pathname.replace(/\/+$/, "");
    return `${prefix}${path}${search === "" ? "" : `?${search}`}`;
  }

  #headers(
    { body, accept = "application/json" }: Call,
    { headers }: Identity,
  ): Readonly<Record<string, string | readonly string[]>> {
    const type = body === undefined ? {} : { "content-type": body.type };
    return { accept, "user-agent": this.#userAgent, ...type, ...headers };
  }

  async #named<Value>(call: Call, signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw error instanceof ConnectionFailed ? error : new ConnectionFailed(call, error);
    }
  }
}

function sameTls(left: Identity, right: Identity): boolean {
  return left.authorityPem === right.authorityPem && left.certificate === right.certificate;
}

/** Requests under way are finished; streams are cut, and whoever reads them starts again under the new identity. */
async function retire({ requests, streams, http2 }: Connections): Promise<void> {
  http2?.close();
  await Promise.all([requests.close(), streams.destroy()]);
}

async function wholeBody({ chunks }: OpenAnswer): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new RangeError(`an answer of more than ${answerBytesMax} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}

async function readLines({ chunks }: OpenAnswer, sink: LineSink): Promise<void> {
  const splitter = new LineSplitter((line) => sink.line(line), answerBytesMax);
  for await (const chunk of chunks) splitter.add(chunk);
  if (splitter.isCutShort) throw new Error("the stream ended in the middle of a line");
}
