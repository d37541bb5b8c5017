import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { Abort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import type { ApiAnswer, ApiRequest, StreamSink } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, StatusError, unexplained } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { peerCertificateOf } from "./access/authentication/client-certificate.ts";
import { plainJson, statusAnswer } from "./answers/answers.ts";
import type { RequestHandler } from "./observed-api.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  /** Who issues the certificates of clients. */
  readonly clientAuthority: string;
  /** Where others than the usual ones hold. */
  readonly limits?: Partial<SocketLimits>;
}

export interface SocketLimits {
  readonly connectionsMax: number;
  /** Requests at the same time on one connection. */
  readonly streamsMax: number;
  readonly bodyBytesMax: number;
  readonly headerBytesMax: number;
  readonly urlLengthMax: number;
  /** How long a client may take to agree on keys. */
  readonly handshakeMsMax: number;
  /** How long a client may take for the head of a request. */
  readonly headersMsMax: number;
  /** How long a connection may be silent that carries no watch. */
  readonly idleMsMax: number;
  /** How long a client that is answered already may go on sending. */
  readonly lingerMsMax: number;
}

export interface Listening {
  readonly port: number;
  stop(): Promise<void>;
}

const defaultLimits: SocketLimits = {
  connectionsMax: 10_000,
  streamsMax: 1_000,
  bodyBytesMax: 3 * 1024 * 1024,
  headerBytesMax: 64 * 1024,
  urlLengthMax: 32 * 1024,
  handshakeMsMax: 10_000,
  headersMsMax: 30_000,
  idleMsMax: 3 * 60_000,
  lingerMsMax: 1_000,
};

/** Connections whose other end vanished without a word are found out by these. */
const keepAliveMs = 60_000;

/** Serves the API over TLS, by HTTP/2 and HTTP/1.1. */
export async function listen(server: RequestHandler, options: ListenOptions): Promise<Listening> {
  const limits = { ...defaultLimits, ...options.limits };
  const http = createSecureServer(
    {
      allowHTTP1: true,
      key: options.key,
      cert: options.certificate,
      ca: options.clientAuthority,
      requestCert: true,
      rejectUnauthorized: false, // who shows no certificate, or one of somebody else, may have a token
      minVersion: "TLSv1.2",
      handshakeTimeout: limits.handshakeMsMax,
      headersTimeout: limits.headersMsMax,
      connectionsCheckingInterval: Math.min(limits.headersMsMax, 5_000),
      maxSessionMemory: 64,
      settings: { maxConcurrentStreams: limits.streamsMax, maxHeaderListSize: limits.headerBytesMax },
    } as Parameters<typeof createSecureServer>[0],
    (request, response) => {
      serve(server, limits, request, response).catch(() => response.destroy());
    },
  );
  // What HTTP/1.1 reads of it; the option of the same name is not handed on.
  Object.assign(http, { maxConnections: limits.connectionsMax, maxHeaderSize: limits.headerBytesMax });
  const sessions = new Set<{ destroy(): void }>();
  remember(http, sessions);
  http.setTimeout(limits.idleMsMax);
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(options.port, options.host, resolve);
  });
  return { port: (http.address() as AddressInfo).port, stop: () => stop(http, sessions) };
}

function remember(http: Http2SecureServer, sessions: Set<{ destroy(): void }>): void {
  http.on("connection", (socket) => {
    sessions.add(socket);
    socket.setKeepAlive(true, keepAliveMs);
    socket.once("close", () => sessions.delete(socket));
  });
  http.on("sessionError", () => undefined);
  http.on("tlsClientError", (_error, socket) => socket.destroy());
}

function stop(http: Http2SecureServer, sessions: ReadonlySet<{ destroy(): void }>): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    for (const session of sessions) session.destroy();
  });
}

/** The reason of every request whose client did not wait for its answer; made once, for it carries a stack. */
const clientGone = new DOMException("the client is gone", "AbortError");

async function serve(
  server: RequestHandler,
  limits: SocketLimits,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(clientGone);
  });
  const isTooLong = request.url.length > limits.urlLengthMax;
  const answer = isTooLong ? uriTooLong(limits) : await server.handle(apiRequest(request, gone, limits));
  if (gone.signal.aborted) return;
  const { code, headers, body } = answer; // made when it is asked for: once
  if (typeof body === "string") endWithAnswer(request, response, limits);
  send({ code, headers, body }, request, response);
  if (typeof body !== "string") stayOpen(request, response, limits);
}

const streamsOf = new WeakMap<object, number>();

/** A watch may be silent for long: the timeout for idle connections is not for those that carry one. */
function stayOpen(request: Http2ServerRequest, response: Http2ServerResponse, { idleMsMax }: SocketLimits): void {
  const connection = request.stream?.session ?? request.socket;
  const add = (count: number): void => {
    const streams = (streamsOf.get(connection) ?? 0) + count;
    streamsOf.set(connection, streams);
    if (!connection.destroyed) connection.setTimeout(streams > 0 ? 0 : idleMsMax);
  };
  response.setTimeout(0);
  add(1);
  response.once("close", () => add(-1));
}

function apiRequest(request: Http2ServerRequest, life: Abort, limits: SocketLimits): ApiRequest {
  const { pathname, searchParams } = parseUrl(request.url);
  return {
    method: request.method ?? "GET",
    path: pathname,
    query: searchParams,
    headers: distinctHeaders(request),
    body: () => readBody(request, life.signal, limits.bodyBytesMax),
    life,
    clientCertificate: peerCertificateOf(request.stream?.session?.socket ?? request.socket),
  };
}

function parseUrl(url: string): { readonly pathname: string; readonly searchParams: URLSearchParams } {
  const question = url.indexOf("?");
  const pathname = question < 0 ? url : url.slice(0, question);
  return { pathname, searchParams: new URLSearchParams(question < 0 ? "" : readablePairs(url.slice(question + 1))) };
}

/** As Go reads a query: pairs with escapes that mean nothing, or with a semicolon, are not there. */
function readablePairs(query: string): string {
  if (!/[%;]/.test(query)) return query;
  const isReadable = (pair: string): boolean => !pair.includes(";") && !/%(?![0-9a-fA-F]{2})/.test(pair);
  return query.split("&").filter(isReadable).join("&");
}

function uriTooLong({ urlLengthMax }: SocketLimits): ApiAnswer {
  const status = unexplained(`Request URI too long: limit is ${urlLengthMax}`);
  return statusAnswer({ ...status, code: 414 }, plainJson);
}

/** Whoever goes on sending what nobody reads is cut off, once there was time to read the answer. */
function endWithAnswer(request: Http2ServerRequest, response: Http2ServerResponse, limits: SocketLimits): void {
  if (request.complete || request.readableEnded) return;
  request.resume();
  const timer = setTimeout(() => {
    if (!request.complete) cutOff(request);
  }, limits.lingerMsMax).unref();
  response.once("close", () => clearTimeout(timer));
}

function cutOff(request: Http2ServerRequest): void {
  if (request.httpVersionMajor === 2) request.stream.close(constants.NGHTTP2_NO_ERROR);
  else request.destroy();
}

/** Node joins headers that are given several times, some by commas; here each value is apart. */
function distinctHeaders(request: Http2ServerRequest): Readonly<Record<string, readonly string[]>> {
  const distinct: Record<string, string[]> = {};
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = (request.rawHeaders[at] as string).toLowerCase();
    const values = Object.hasOwn(distinct, name) ? (distinct[name] as string[]) : [];
    values.push(request.rawHeaders[at + 1] as string);
    distinct[name] = values;
  }
  return distinct;
}

function readBody(request: Http2ServerRequest, signal: AbortSignal, bytesMax: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    request.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else reject(tooLarge(bytesMax));
    });
    request.once("end", () => resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)));
    request.once("error", reject);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function tooLarge(bytesMax: number): StatusError {
  const message = `Request entity too large: limit is ${bytesMax}`;
  return new StatusError(failure("RequestEntityTooLarge", message));
}

function send({ code, headers, body }: ApiAnswer, request: Http2ServerRequest, response: Http2ServerResponse): void {
  response.statusCode = code;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value as string | string[]);
  if (typeof body === "string") {
    const bytes = Buffer.from(body);
    response.setHeader("content-length", bytes.length);
    if (request.method === "HEAD") response.end();
    else response.end(bytes);
    return;
  }
  response.writeHead(code);
  body.start(new ResponseSink(response));
}

class ResponseSink implements StreamSink {
  readonly #response: Http2ServerResponse;

  constructor(response: Http2ServerResponse) {
    this.#response = response;
  }

  get waitingBytes(): number {
    return this.#response.writableLength ?? 0;
  }

  write(line: string | Uint8Array): void {
    this.#response.write(line);
  }

  end(): void {
    this.#response.end();
  }

  cut(): void {
    this.#response.destroy();
  }

  onDrain(call: () => void): void {
    this.#response.once("drain", call);
  }

  onClose(call: () => void): void {
    this.#response.once("close", call);
  }
}
