import type { Dispatcher } from "undici";
import { abortable } from "../abortable.ts";
import type { ClusterAccess, Identity } from "./cluster-access.ts";
import { defaultHttpLimits, dispatcherFor, type HttpLimits, tlsOptions } from "./dispatchers.ts";
import { Http2Sessions, type OpenResponse } from "./http2-sessions.ts";
import { LineSplitter } from "./line-splitter.ts";
import { isSuccess, replyError } from "./reply-status.ts";
import {
  type Call,
  ConnectionFailed,
  type LineSink,
  type Reply,
  responseBytesMax,
  type Transport,
} from "./transport.ts";

/** The connections of one identity: client certificates belong to the TLS connection. */
interface Connections {
  readonly identity: Identity;
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
  readonly http2: Http2Sessions | undefined;
}

export interface HttpTransportOptions {
  readonly limits?: Partial<HttpLimits>;
  readonly userAgent: string;
}

/**
 * A transport over the network. Requests use HTTP/1.1 keep-alive connections, one at a time on each, so that a lost
 * connection fails exactly one request and nothing is retried implicitly. Streams, which may be many and are mostly
 * silent, share HTTP/2 connections if the server supports it.
 */
export class HttpTransport implements Transport {
  readonly #access: ClusterAccess;
  readonly #limits: HttpLimits;
  readonly #userAgent: string;
  #connections: Connections | undefined;
  readonly #retired = new Set<Promise<void>>();

  constructor(access: ClusterAccess, { limits, userAgent }: HttpTransportOptions) {
    this.#access = access;
    this.#limits = { ...defaultHttpLimits, ...limits };
    this.#userAgent = userAgent;
  }

  async request(call: Call, signal: AbortSignal): Promise<Reply> {
    return this.#withCredentials(call, signal, async ({ identity, requests }) => {
      const response = await this.#send(requests, call, identity, signal);
      return { code: response.code, headers: response.headers, body: await wholeBody(response) };
    });
  }

  async stream(call: Call, sink: LineSink, signal: AbortSignal): Promise<void> {
    const response = await this.#withCredentials(call, signal, async (connections) => {
      const opened = await this.#openStream(connections, call, signal);
      if (isSuccess(opened)) return opened;
      return { ...opened, body: await wholeBody(opened) };
    });
    if ("body" in response) throw replyError(call, response);
    sink.onOpened();
    await this.#wrapErrors(call, signal, () => readLines(response, sink));
  }

  async close(): Promise<void> {
    const connections = this.#connections;
    this.#connections = undefined;
    if (connections !== undefined) await retire(connections);
    await Promise.all(this.#retired);
  }

  /** A 401 changed nothing, so the call is retried once with newer credentials. */
  async #withCredentials<Response extends { readonly code: number }>(
    call: Call,
    signal: AbortSignal,
    send: (connections: Connections) => Promise<Response>,
  ): Promise<Response> {
    if (call.reach !== undefined)
      throw new ConnectionFailed(call, "only a server in this process supports requests across all planes");
    const identity = await abortable(this.#access.identity(signal), signal);
    const response = await this.#wrapErrors(call, signal, () => send(this.#connectionsOf(identity)));
    if (response.code !== 401) return response;
    this.#access.invalidate(identity);
    const newer = await abortable(this.#access.identity(signal), signal);
    return newer === identity ? response : this.#wrapErrors(call, signal, () => send(this.#connectionsOf(newer)));
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

  async #openStream({ identity, http2, streams }: Connections, call: Call, signal: AbortSignal): Promise<OpenResponse> {
    const overHttp2 = await http2?.open(this.#path(call), this.#headers(call, identity), signal);
    return overHttp2 ?? this.#send(streams, call, identity, signal);
  }

  async #send(dispatcher: Dispatcher, call: Call, identity: Identity, signal: AbortSignal): Promise<OpenResponse> {
    const { statusCode, headers, body } = await dispatcher.request({
      origin: this.#access.server.origin,
      method: call.method,
      path: this.#path(call),
      headers: this.#headers(call, identity) as Record<string, string | string[]>,
      body: call.body?.text ?? null,
      reset: false, // a delete with a body is normal for an API server, so the connection is kept
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

  async #wrapErrors<Value>(call: Call, signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
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

/** Pending requests finish; streams are cut, and their readers start again with the new identity. */
async function retire({ requests, streams, http2 }: Connections): Promise<void> {
  http2?.close();
  await Promise.all([requests.close(), streams.destroy()]);
}

async function wholeBody({ chunks }: OpenResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > responseBytesMax) throw new RangeError(`response larger than ${responseBytesMax} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString("utf8");
}

async function readLines({ chunks }: OpenResponse, sink: LineSink): Promise<void> {
  const splitter = new LineSplitter((line) => sink.onLine(line), responseBytesMax);
  for await (const chunk of chunks) splitter.add(chunk);
  if (splitter.isCutShort) throw new Error("the stream ended in the middle of a line");
}
