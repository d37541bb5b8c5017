import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { HttpError, type HttpResponse, plainText, send } from "./http-response.ts";
import { InvalidReview } from "./review-request.ts";
import { type ReviewDeps, reviewResponse } from "./review-response.ts";

/** Certificate and key, PEM-encoded. */
export interface WebhookCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface WebhookServerOptions extends ReviewDeps {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly certificate: WebhookCertificate;
  /** The control plane that a path is for; undefined for an unknown path. */
  readonly planeAt: (path: string) => string | undefined;
  readonly isReady: () => boolean;
  readonly limits?: Partial<WebhookLimits>;
  readonly report: (where: string, error: unknown) => void;
}

export interface WebhookLimits {
  /** Room for the old and the new object, each of the maximum size that an API server accepts. */
  readonly bodyBytesMax: number;
  /** The default timeout of an API server. */
  readonly responseMsMax: number;
  /** How much earlier than the timeout we respond, because the response takes time to arrive. */
  readonly marginMs: number;
  readonly requestsMax: number;
}

const defaultLimits: WebhookLimits = {
  bodyBytesMax: 8 * 1024 * 1024,
  responseMsMax: 10_000,
  marginMs: 2_000,
  requestsMax: 2_000,
};

/** Serves AdmissionReviews over HTTPS. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #limits: WebhookLimits;
  readonly #server: Server;
  #inFlight = 0;
  #isStopping = false;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    const { certificate, key } = options.certificate;
    const timeouts = { headersTimeout: 10_000, requestTimeout: this.#limits.responseMsMax };
    this.#server = createServer({ cert: certificate, key, minVersion: "TLSv1.2", ...timeouts }, (request, response) => {
      void this.#serve(request, response);
    });
  }

  /** Resolves to the port that the server listens on. */
  async start(): Promise<number> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  /** Rotates the certificate for new connections. */
  setCertificate({ certificate, key }: WebhookCertificate): void {
    this.#server.setSecureContext({ cert: certificate, key, minVersion: "TLSv1.2" });
  }

  /** Finishes the requests in flight, and closes idle connections. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeIdleConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight += 1;
    try {
      const result = await this.#respond(request, response);
      // A connection that is kept alive would delay the stop.
      response.shouldKeepAlive &&= !this.#isStopping;
      send(response, result);
    } catch (error) {
      if (!(error instanceof HttpError)) this.#options.report("webhook", error);
      const [code, message] = error instanceof HttpError ? [error.code, error.message] : [500, "internal error"];
      send(response, plainText(code, message));
    } finally {
      this.#inFlight -= 1;
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<HttpResponse> {
    const { pathname, searchParams } = new URL(request.url ?? "/", "https://webhook");
    if (pathname === "/healthz") return plainText(200, "ok");
    if (pathname === "/readyz")
      return this.#options.isReady() ? plainText(200, "ok") : plainText(503, "policies are being loaded");
    const plane = this.#options.planeAt(pathname);
    if (plane === undefined) throw new HttpError(404, `unknown path ${pathname}`);
    this.#require(request);
    const review = parsed(await this.#body(request));
    const life = new AbortController();
    response.once("close", () => life.abort(new Error("the client closed the connection")));
    const origin = { plane, waitMsMax: this.#waitMs(searchParams) };
    const body = await reviewResponse(review, origin, this.#options, life.signal).catch(asBadRequest);
    return { code: 200, type: "application/json", text: writeJson(body) };
  }

  #require({ method, headers }: IncomingMessage): void {
    if (method !== "POST") throw new HttpError(405, "AdmissionReviews must be sent by POST");
    const type = (headers["content-type"] ?? "").split(";")[0]?.trim();
    if (type !== "application/json") throw new HttpError(415, "the content type must be application/json");
    if (this.#inFlight > this.#limits.requestsMax) throw new HttpError(429, "too many concurrent reviews");
  }

  async #body(request: IncomingMessage): Promise<string> {
    const { bodyBytesMax } = this.#limits;
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bodyBytesMax) throw new HttpError(413, `the body must be at most ${bodyBytesMax} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString("utf8");
  }

  /** An API server sends its timeout, in whole seconds, with every call. */
  #waitMs(query: URLSearchParams): number {
    const { responseMsMax, marginMs } = this.#limits;
    const seconds = /^([1-9]\d?)s$/.exec(query.get("timeout") ?? "")?.[1];
    const waitMs = seconds === undefined ? responseMsMax : Number(seconds) * 1_000;
    return Math.max(waitMs - marginMs, waitMs / 2);
  }
}

function parsed(text: string): ReturnType<typeof readJson> {
  try {
    return readJson(text);
  } catch (error) {
    throw new HttpError(400, `the body is not JSON: ${(error as Error).message}`);
  }
}

function asBadRequest(error: unknown): never {
  if (error instanceof InvalidReview) throw new HttpError(400, error.message);
  throw error;
}
