import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import type { Clock } from "@milo-quota/kubernetes/protocol/clock.ts";
import { quote } from "@milo-quota/kubernetes/protocol/go-quote.ts";
import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { networkErrorText } from "./call-error-text.ts";
import type { ServiceReference, WebhookAddress } from "./webhook.ts";
import { CallFailed, type WebhookCall, type WebhookCaller } from "./webhook-caller.ts";
import { readWebhookResponse } from "./webhook-response.ts";
import { displayUrl, urlOf } from "./webhook-url.ts";

export interface CallerDeps {
  readonly clock: Clock;
  /** Resolves a Service to an endpoint. Left out where there is no cluster network. */
  readonly resolveService?: (service: ServiceReference, signal: AbortSignal) => Promise<ServiceEndpoint>;
}

export interface ServiceEndpoint {
  readonly host: string;
  readonly port: number;
}

/** Connections are shared only between webhooks with the same certificates and server name. */
const agentsMax = 100;
const socketsPerWebhookMax = 32;

/** Calls webhooks over HTTPS with keep-alive connections. */
export class HttpsWebhookCaller implements WebhookCaller {
  readonly #deps: CallerDeps;
  readonly #agents = new Map<string, Agent>();

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  async call({ address, review, timeoutSeconds }: WebhookCall, signal: AbortSignal): Promise<JsonValue> {
    const url = urlOf(address, timeoutSeconds);
    const shown = quote(displayUrl(address, url));
    const end = new AbortController();
    let isLate = false;
    const timer = this.#deps.clock.after(timeoutSeconds * 1000, () => {
      isLate = true;
      end.abort();
    });
    const aborted = (): void => end.abort(signal.reason);
    signal.addEventListener("abort", aborted, { once: true });
    if (signal.aborted) aborted();
    try {
      return await this.#exchange(address, url, writeJson(review), end.signal);
    } catch (error) {
      if (error instanceof CallFailed) throw error;
      if (signal.aborted) throw new CallFailed(`Post ${shown}: context canceled`);
      const problem = isLate ? "context deadline exceeded" : networkErrorText(error);
      throw new CallFailed(`Post ${shown}: ${problem}`);
    } finally {
      timer.stop();
      signal.removeEventListener("abort", aborted);
    }
  }

  stop(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  async #exchange(address: WebhookAddress, url: URL, body: string, signal: AbortSignal): Promise<JsonValue> {
    const endpoint = await this.#endpointOf(address, url, signal);
    const options: RequestOptions = {
      ...endpoint,
      method: "POST",
      path: `${url.pathname}${url.search}`,
      agent: this.#agentFor(address, url.hostname),
      signal,
      headers: {
        Host: url.host,
        Accept: "application/json, */*",
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        "User-Agent": "kube-apiserver-admission",
      },
    };
    return readWebhookResponse(await post(options, body));
  }

  async #endpointOf(address: WebhookAddress, url: URL, signal: AbortSignal): Promise<ServiceEndpoint> {
    const own = { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? 443 : Number(url.port) };
    if (address.kind !== "service") return own;
    const { name } = address.service;
    if (this.#deps.resolveService !== undefined) return this.#deps.resolveService(address.service, signal);
    throw new Error(
      `service ${JSON.stringify(name)} cannot be reached: this server has no cluster network, give a url`,
    );
  }

  #agentFor(address: WebhookAddress, servername: string): Agent {
    const caBundle = address.kind === "nowhere" ? undefined : address.caBundle;
    const key = JSON.stringify([servername, caBundle ?? null]);
    const agent = this.#agents.get(key) ?? newAgent(servername, caBundle);
    this.#agents.delete(key);
    this.#agents.set(key, agent);
    const [unused] = this.#agents;
    if (this.#agents.size > agentsMax && unused !== undefined) {
      this.#agents.delete(unused[0]);
      unused[1].destroy();
    }
    return agent;
  }
}

/** The server may close a kept-alive connection just as it is reused: such a call is retried once. */
async function post(options: RequestOptions, body: string, isRetry = false): Promise<IncomingMessage> {
  const request = httpsRequest(options);
  try {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      request.once("response", resolve);
      request.once("error", reject);
      request.end(body);
    });
  } catch (error) {
    const wasClosed = request.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
    if (!wasClosed || isRetry) throw error;
    return post(options, body, true);
  }
}

function newAgent(servername: string, ca: string | undefined): Agent {
  const isAddress = /^[\d.]+$|^\[/.test(servername);
  return new Agent({
    keepAlive: true,
    maxSockets: socketsPerWebhookMax,
    ...(ca === undefined ? {} : { ca }),
    // The certificate must match the service name, whatever address it resolves to.
    ...(isAddress ? {} : { servername }),
  });
}
