import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import type { Body } from "./test-server.ts";
import type { Credentials } from "./tls-server.ts";

export interface HttpReply {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Body;
}

/** The connection closed before the response. */
export class ConnectionClosed extends Error {
  override readonly name = "ConnectionClosed";
}

/** One HTTP/2 connection. */
export class TestClient {
  readonly session: ClientHttp2Session;
  readonly closed: Promise<void>;
  readonly #token: string | undefined;

  constructor(port: number, ca: string, { token, cert, key }: Credentials) {
    this.#token = token;
    const certificate = cert === undefined || key === undefined ? {} : { cert, key };
    this.session = connect(`https://127.0.0.1:${port}`, { ca, ...certificate });
    this.session.on("error", () => undefined);
    this.closed = new Promise((resolve) => this.session.once("close", resolve));
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string | string[]> = {},
  ): Promise<HttpReply> {
    const stream = this.open(method, path, headers);
    const reply = replyOf(stream);
    const text = typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    if (body === undefined) stream.end();
    else stream.end(text);
    return reply;
  }

  /** A request whose body is not sent yet. */
  open(method: string, path: string, headers: Record<string, string | string[]> = {}): ClientHttp2Stream {
    const credentials = this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    if (this.session.destroyed || this.session.closed) throw new ConnectionClosed("the connection is closed");
    const stream = this.session.request(
      { ":method": method, ":path": path, "content-type": type, ...credentials, ...headers },
      { endStream: false },
    );
    stream.on("error", () => undefined);
    return stream;
  }

  close(): void {
    this.session.destroy();
  }
}

export function replyOf(stream: ClientHttp2Stream): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    let headers: HttpReply["headers"] = {};
    let text = "";
    stream.setEncoding("utf8");
    stream.on("response", (received) => {
      headers = received as HttpReply["headers"];
    });
    stream.on("data", (chunk: string) => {
      text += chunk;
    });
    stream.once("close", () => {
      const code = Number(headers[":status"] ?? 0);
      const length = Number(headers["content-length"] ?? 0);
      if (code === 0 || Buffer.byteLength(text) < length)
        return reject(new ConnectionClosed(`closed with code ${stream.rstCode}`));
      resolve({
        code,
        headers,
        text,
        get body() {
          return JSON.parse(text);
        },
      });
    });
  });
}
