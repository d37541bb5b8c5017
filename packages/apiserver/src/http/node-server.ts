import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { AbortControllerLike } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import type { ApiRequest, ApiResponse, StreamSink } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { failure, failureWithoutReason, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { peerCertificateOf } from "./access/authentication/client-certificate.ts";
import type { RequestHandler } from "./observe-requests.ts";
import { plainJson, statusResponse } from "./responses/responses.ts";

export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly key: string;
  readonly certificate: string;
  /** CA certificate that verifies client certificates. */
  readonly clientAuthority: string;
  /** Overrides of the default limits. */
  readonly limits?: Partial<ListenLimits>;
}

export interface ListenLimits {
  readonly connectionsMax: number;
  /** Concurrent requests on one connection. */
  readonly streamsMax: number;
  readonly bodyBytesMax: number;
  readonly headerBytesMax: number;
  readonly urlLengthMax: number;
  /** Timeout of the TLS handshake. */
  readonly handshakeMsMax: number;
  /** Timeout for receiving the headers of a request. */
  readonly headersMsMax: number;
  /** Timeout of idle connections without a watch. */
  readonly idleMsMax: number;
  /** How long a client may keep sending after its response. */
  readonly lingerMsMax: number;
}

export interface Listening {
  readonly port: number;
  stop(): Promise<void>;
}

const defaultLimits: ListenLimits = {
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

/** TCP keep-alive: detects connections whose peer vanished. */
const keepAliveMs = 60_000;

/** Serves the API over TLS, with HTTP/2 and HTTP/1.1. */
export async function listen(server: RequestHandler, options: ListenOptions): Promise<Listening> {
  const limits = { ...defaultLimits, ...options.limits };
  const http = createSecureServer(
    {
      allowHTTP1: true,
      key: options.key,
      cert: options.certificate,
      ca: options.clientAuthority,
      requestCert: true,
      rejectUnauthorized: false, // a client without a certificate of ours may have a token
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
  // Read by HTTP/1.1 connections; Node does not pass the option of the same name on.
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

/** Abort reason of all requests whose client disconnected; created once, because it captures a stack. */
const clientDisconnected = new DOMException("the client disconnected", "AbortError");

async function serve(
  server: RequestHandler,
  limits: ListenLimits,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort(clientDisconnected);
  });
  const isTooLong = request.url.length > limits.urlLengthMax;
  const answer = isTooLong ? uriTooLong(limits) : await server.handle(apiRequest(request, gone, limits));
  if (gone.signal.aborted) return;
  const { code, headers, body } = answer;
  if (typeof body === "string") endAfterResponse(request, response, limits);
  send({ code, headers, body }, request, response);
  if (typeof body !== "string") stayOpen(request, response, limits);
}

const streamsOf = new WeakMap<object, number>();

/** A watch may be silent for long: the idle timeout does not apply to connections with one. */
function stayOpen(request: Http2ServerRequest, response: Http2ServerResponse, { idleMsMax }: ListenLimits): void {
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

function apiRequest(
  request: Http2ServerRequest,
  abortController: AbortControllerLike,
  limits: ListenLimits,
): ApiRequest {
  const { pathname, searchParams } = parseUrl(request.url);
  return {
    method: request.method ?? "GET",
    path: pathname,
    query: searchParams,
    headers: distinctHeaders(request),
    body: () => readBody(request, abortController.signal, limits.bodyBytesMax),
    abortController,
    clientCertificate: peerCertificateOf(request.stream?.session?.socket ?? request.socket),
  };
}

function parseUrl(url: string): { readonly pathname: string; readonly searchParams: URLSearchParams } {
  const question = url.indexOf("?");
  const pathname = question < 0 ? url : url.slice(0, question);
  return { pathname, searchParams: new URLSearchParams(question < 0 ? "" : readablePairs(url.slice(question + 1))) };
}

/** As Go parses a query: pairs with invalid escapes or a semicolon are dropped. */
function readablePairs(query: string): string {
  if (!/[%;]/.test(query)) return query;
  const isReadable = (pair: string): boolean => !pair.includes(";") && !/%(?![0-9a-fA-F]{2})/.test(pair);
  return query.split("&").filter(isReadable).join("&");
}

function uriTooLong({ urlLengthMax }: ListenLimits): ApiResponse {
  const status = failureWithoutReason(`Request URI too long: limit is ${urlLengthMax}`);
  return statusResponse({ ...status, code: 414 }, plainJson);
}

/** A client that keeps sending is disconnected, after it had time to read the response. */
function endAfterResponse(request: Http2ServerRequest, response: Http2ServerResponse, limits: ListenLimits): void {
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

/** Node joins repeated headers, some by commas; this keeps the values apart. */
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

function send({ code, headers, body }: ApiResponse, request: Http2ServerRequest, response: Http2ServerResponse): void {
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
