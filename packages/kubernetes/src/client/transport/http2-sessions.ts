import { type ClientHttp2Session, connect as connectHttp2, constants, type IncomingHttpHeaders } from "node:http2";
import { isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { TlsOptions } from "./dispatchers.ts";

/** An answer that has begun, and whose body is still to come. */
export interface OpenAnswer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends in order, or throws when the stream is cut. Reading slowly makes the server wait. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

const sessionsMax = 16;
const connectMsMax = 10_000;
const headersMsMax = 70_000;
/** Until the server has said how many it takes. */
const streamsBeforeSettings = 100;
/** A connection whose other end vanished without a word is found out by two of these. */
const pingMs = 30_000;

interface Session {
  readonly session: ClientHttp2Session;
  streams: number;
  /** The server takes no more streams on it; those that there are go on. */
  isLeaving: boolean;
}

/** Many streams over few connections, to a server that speaks HTTP/2. */
export class Http2Sessions {
  readonly #server: URL;
  readonly #tls: TlsOptions;
  readonly #sessions = new Set<Session>();
  #connecting: Promise<Session | undefined> | undefined;
  #speaks = true;

  constructor(server: URL, tls: TlsOptions) {
    this.#server = server;
    this.#tls = tls;
  }

  /** Undefined when the server speaks no HTTP/2. */
  async open(
    path: string,
    headers: Readonly<Record<string, string | readonly string[]>>,
    signal: AbortSignal,
  ): Promise<OpenAnswer | undefined> {
    const session = await this.#roomy();
    signal.throwIfAborted();
    return session === undefined ? undefined : openStream(session, path, headers, signal);
  }

  close(): void {
    for (const { session } of this.#sessions) session.destroy();
    this.#sessions.clear();
  }

  async #roomy(): Promise<Session | undefined> {
    while (this.#speaks) {
      for (const session of this.#sessions) if (hasRoom(session)) return session;
      if (this.#sessions.size >= sessionsMax)
        throw new Error(`all ${sessionsMax} HTTP/2 connections are full of streams`);
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
      this.#speaks = false;
      return undefined;
    }
    const session = connectHttp2(this.#server.origin, {
      createConnection: () => socket,
      settings: { enablePush: false },
    });
    const known: Session = { session, streams: 0, isLeaving: false };
    this.#sessions.add(known);
    const ping = setInterval(() => pinged(session), pingMs).unref();
    session.once("close", () => {
      clearInterval(ping);
      this.#sessions.delete(known);
    });
    session.once("goaway", () => {
      known.isLeaving = true;
    });
    session.on("error", () => undefined); // each stream hears of it itself
    return known;
  }
}

function hasRoom({ session, streams, isLeaving }: Session): boolean {
  const limit = session.remoteSettings?.maxConcurrentStreams ?? streamsBeforeSettings;
  return !isLeaving && !session.closed && !session.destroyed && streams < limit;
}

function pinged(session: ClientHttp2Session): void {
  if (session.destroyed) return;
  let isAnswered = false;
  session.ping((error) => {
    isAnswered = error === null;
  });
  setTimeout(() => {
    if (!isAnswered) session.destroy(new Error("the server does not answer pings"));
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
  known: Session,
  path: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
  signal: AbortSignal,
): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const stream = known.session.request({ ":path": path, ":method": "GET", ...headers }, { endStream: true });
    known.streams += 1;
    const end = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener("abort", end, { once: true });
    const fail = (error: unknown): void => reject(signal.aborted ? signal.reason : error);
    stream.setTimeout(headersMsMax, () => stream.destroy(new Error(`no answer within ${headersMsMax} ms`)));
    stream.once("error", fail);
    stream.once("close", () => {
      known.streams -= 1;
      signal.removeEventListener("abort", end);
      fail(new Error("the stream was closed before an answer"));
    });
    stream.once("response", (answered) => {
      stream.setTimeout(0);
      resolve({ code: Number(answered[":status"] ?? 0), headers: flat(answered), chunks: chunksOf(stream, signal) });
    });
  });
}

/** A stream that is reset by the server ends without an error, and is cut all the same. */
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
