import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { type Answer, NotAnswered, plain, send } from "./http-answer.ts";
import { answerReview, type ReviewPorts } from "./review-answer.ts";
import { NoReview } from "./review-request.ts";

/** In PEM. */
export interface WebhookCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface WebhookServerOptions extends ReviewPorts {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly certificate: WebhookCertificate;
  /** The plane that is asked for at a path; undefined where nobody asks. */
  readonly planeAt: (path: string) => string | undefined;
  readonly isReady: () => boolean;
  readonly limits?: Partial<WebhookLimits>;
  readonly report: (where: string, error: unknown) => void;
}

export interface WebhookLimits {
  /** An object and the one it replaces, each as large as an API server takes them. */
  readonly bodyBytesMax: number;
  /** How long an API server waits that does not say so. */
  readonly answerMsMax: number;
  /** How much earlier than that we answer: the answer has a way to go. */
  readonly marginMs: number;
  readonly requestsMax: number;
}

const defaultLimits: WebhookLimits = {
  bodyBytesMax: 8 * 1024 * 1024,
  answerMsMax: 10_000,
  marginMs: 2_000,
  requestsMax: 2_000,
};

/** Answers API servers over HTTPS. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #limits: WebhookLimits;
  readonly #server: Server;
  #underWay = 0;
  #isStopping = false;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    const { certificate, key } = options.certificate;
    const timeouts = { headersTimeout: 10_000, requestTimeout: this.#limits.answerMsMax };
    this.#server = createServer({ cert: certificate, key, minVersion: "TLSv1.2", ...timeouts }, (request, response) => {
      void this.#serve(request, response);
    });
  }

  /** Resolves to the port it listens at. */
  async start(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** For connections from now on: certificates end before servers do. */
  renew({ certificate, key }: WebhookCertificate): void {
    this.#server.setSecureContext({ cert: certificate, key, minVersion: "TLSv1.2" });
  }

  /** Finishes what is under way; whoever keeps a connection without asking anything is cut off. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#underWay += 1;
    try {
      const answer = await this.#answer(request, response);
      // Whoever would ask again on this connection would keep us from stopping.
      response.shouldKeepAlive &&= !this.#isStopping;
      send(response, answer);
    } catch (error) {
      if (!(error instanceof NotAnswered)) this.#options.report("webhook", error);
      const [code, message] = error instanceof NotAnswered ? [error.code, error.message] : [500, "internal error"];
      send(response, plain(code, message));
    } finally {
      this.#underWay -= 1;
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://webhook");
    if (pathname === "/healthz") return plain(200, "ok");
    if (pathname === "/readyz")
      return this.#options.isReady() ? plain(200, "ok") : plain(503, "policies are being read");
    const plane = this.#options.planeAt(pathname);
    if (plane === undefined) throw new NotAnswered(404, `nothing is answered at ${pathname}`);
    this.#require(request);
    const review = parsed(await this.#body(request));
    const life = new AbortController();
    response.once("close", () => life.abort(new Error("whoever asked has gone")));
    const origin = { plane, waitMsMax: this.#waitMs(searchParams) };
    const answer = await answerReview(review, origin, this.#options, life.signal).catch(asBadRequest);
    return { code: 200, type: "application/json", text: writeJson(answer) };
  }

  #require({ method, headers }: IncomingMessage): void {
    if (method !== "POST") throw new NotAnswered(405, "reviews are posted");
    const type = (headers["content-type"] ?? "").split(";")[0]?.trim();
    if (type !== "application/json") throw new NotAnswered(415, "reviews are in application/json");
    if (this.#underWay > this.#limits.requestsMax) throw new NotAnswered(429, "too many reviews at once");
  }

  async #body(request: IncomingMessage): Promise<string> {
    const { bodyBytesMax } = this.#limits;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) throw new NotAnswered(413, `a review has at most ${bodyBytesMax} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  /** An API server says how long it waits, in whole seconds, with every call. */
  #waitMs(query: URLSearchParams): number {
    const { answerMsMax, marginMs } = this.#limits;
    const said = /^([1-9]\d?)s$/.exec(query.get("timeout") ?? "")?.[1];
    const waitMs = said === undefined ? answerMsMax : Number(said) * 1_000;
    return Math.max(waitMs - marginMs, waitMs / 2);
  }
}

function parsed(text: string): ReturnType<typeof readJson> {
  try {
    return readJson(text);
  } catch (error) {
    throw new NotAnswered(400, `the body is not JSON: ${(error as Error).message}`);
  }
}

function asBadRequest(error: unknown): never {
  if (error instanceof NoReview) throw new NotAnswered(400, error.message);
  throw error;
}
