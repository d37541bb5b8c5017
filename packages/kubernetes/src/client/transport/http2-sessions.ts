import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { TlsOptions } from "./dispatchers.ts";

/** A response whose body is still being received. */
export interface OpenResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends normally, or throws when the stream is cut. Reading slowly gives backpressure. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const sessionsMax = 16;
const connectMsMax = 10_000;
const headersMsMax = 70_000;
/** Used until the server has sent its settings. */
const streamsBeforeSettings = 100;
/** Two unanswered pings detect a dead connection. */
const pingMs = 30_000;

interface Session {
  readonly session: ClientHttp2Session;
  streams: number;
  /** The server accepts no more streams on it; existing ones go on. */
  isGoingAway: boolean;
}

/** Many streams over few connections, to a server with HTTP/2. */
export class Http2Sessions {
  readonly #server: URL;
  readonly #tls: TlsOptions;
  readonly #sessions = new Set<Session>();
  #connecting: Promise<Session | undefined> | undefined;
  #isSupported = true;

  constructor(server: URL, tls: TlsOptions) {
    this.#server = server;
    this.#tls = tls;
  }

  /** Undefined when the server does not support HTTP/2. */
  async open(
    path: string,
    headers: Readonly<Record<string, string | readonly string[]>>,
    signal: AbortSignal,
  ): Promise<OpenResponse | undefined> {
    const session = await this.#sessionWithRoom();
    signal.throwIfAborted();
    return session === undefined ? undefined : openStream(session, path, headers, signal);
  }

  close(): void {
    for (const { session } of this.#sessions) session.destroy();
    this.#sessions.clear();
  }

  async #sessionWithRoom(): Promise<Session | undefined> {
    while (this.#isSupported) {
      for (const session of this.#sessions) if (hasRoom(session)) return session;
      if (this.#sessions.size >= sessionsMax)
        throw new Error(`all ${sessionsMax} HTTP/2 connections have no capacity for another stream`);
      this.#connecting ??= this.#connect().finally(() => {
        this.#connecting = undefined;
      });
      await this.#connecting;
    }
    return undefined;
  }

  async #connect(): Promise<Session | undefined> {
    const socket = await connected(this.#server, this.#tls);
    if (socket.alpnProtocol !== "h2") {
      socket.destroy();
      this.#isSupported = false;
      return undefined;
    }
    const session = connectHttp2(this.#server.origin, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    const entry: Session = { session, streams: 0, isGoingAway: false };
    this.#sessions.add(entry);
    const ping = setInterval(() => pinged(session), pingMs).unref();
    session.once("close", () => {
      clearInterval(ping);
      this.#sessions.delete(entry);
    });
    session.once("goaway", () => {
      entry.isGoingAway = true;
    });
    session.on("error", () => undefined); // reported by each stream
    return entry;
  }
}

function hasRoom({ session, streams, isGoingAway }: Session): boolean {
  const limit = session.remoteSettings?.maxConcurrentStreams ?? streamsBeforeSettings;
  return !isGoingAway && !session.closed && !session.destroyed && streams < limit;
}

function pinged(session: ClientHttp2Session): void {
  if (session.destroyed) return;
  let isAnswered = false;
  session.ping((error) => {
    isAnswered = error === null;
  });
  setTimeout(() => {
    if (!isAnswered) session.destroy(new Error("the server does not respond to pings"));
  }, pingMs - 1_000).unref();
}

function connected(server: URL, tls: TlsOptions): Promise<TLSSocket> {
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const name = tls.servername ?? (isIP(host) === 0 ? host : undefined);
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      ...tls,
      host,
      port: server.port === "" ? 443 : Number(server.port),
      ALPNProtocols: ["h2", "http/1.1"],
      ...(name === undefined ? {} : { servername: name }),
    });
    socket.setTimeout(connectMsMax, () => socket.destroy(new Error(`no connection within ${connectMsMax} ms`)));
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

function openStream(
  entry: Session,
  path: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
  signal: AbortSignal,
): Promise<OpenResponse> {
  return new Promise((resolve, reject) => {
    const stream = entry.session.request({ ":path": path, ":method": "GET", ...headers }, { endStream: true });
    entry.streams += 1;
    const end = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener("abort", end, { once: true });
    const fail = (error: unknown): void => reject(signal.aborted ? signal.reason : error);
    stream.setTimeout(headersMsMax, () => stream.destroy(new Error(`no response within ${headersMsMax} ms`)));
    stream.once("error", fail);
    stream.once("close", () => {
      entry.streams -= 1;
      signal.removeEventListener("abort", end);
      fail(new Error("the stream was closed before a response"));
    });
    stream.once("response", (answered) => {
      stream.setTimeout(0);
      resolve({ code: Number(answered[":status"] ?? 0), headers: flat(answered), chunks: chunksOf(stream, signal) });
    });
  });
}

/** A stream that the server resets ends without an error, but is incomplete. */
async function* chunksOf(
  stream: ReturnType<ClientHttp2Session["request"]>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let hasEnded = false;
  stream.once("end", () => {
    hasEnded = true;
  });
  try {
    for await (const chunk of stream) {
      signal.throwIfAborted();
      yield chunk as Uint8Array;
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  signal.throwIfAborted();
  if (!hasEnded || stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new Error("the server reset the stream");
}

function flat(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !name.startsWith(":"))
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}
