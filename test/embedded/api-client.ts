import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import type { ClusterAccess, Identity } from "@milo-quota/kubernetes/client/transport/cluster-access.ts";
import { HttpTransport } from "@milo-quota/kubernetes/client/transport/http-transport.ts";
import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { Body } from "../apiserver/test-server.ts";

const pollMs = 25;
const timeoutMs = 30_000;

export interface ApiResponse {
  readonly code: number;
  readonly text: string;
  readonly body: Body;
  /** The Warning header. */
  readonly warning: string;
}

/** API client over TLS, with the identity of a kubeconfig or a token. */
export class ApiClient {
  readonly #access: ClusterAccess;
  readonly #transport: HttpTransport;

  constructor(access: ClusterAccess) {
    this.#access = access;
    this.#transport = new HttpTransport(access, { userAgent: "milo-quota-test" });
  }

  static byKubeconfig(kubeconfig: string): ApiClient {
    const deps = { env: {}, home: "/nowhere", hasTerminal: false, clock: systemClock, note: () => undefined };
    return new ApiClient(loadAccess({ kubeconfig }, deps));
  }

  /** A client of the same server with another token. */
  async as(token: string): Promise<ApiClient> {
    const known = await this.#access.identity(lightAbortController().signal);
    const identity: Identity = { ...known, headers: { authorization: `Bearer ${token}` } };
    return new ApiClient({ ...this.#access, identity: async () => identity, invalidate: () => undefined });
  }

  get(path: string): Promise<ApiResponse> {
    return this.#send("GET", path);
  }

  create(path: string, body: unknown): Promise<ApiResponse> {
    return this.#send("POST", path, { type: "application/json", text: JSON.stringify(body) });
  }

  merge(path: string, body: unknown): Promise<ApiResponse> {
    return this.#send("PATCH", path, { type: "application/merge-patch+json", text: JSON.stringify(body) });
  }

  /** Server-side apply with force. */
  apply(path: string, body: unknown): Promise<ApiResponse> {
    const type = "application/apply-patch+yaml";
    return this.#send("PATCH", `${path}?fieldManager=staff&force=true`, { type, text: JSON.stringify(body) });
  }

  remove(path: string): Promise<ApiResponse> {
    return this.#send("DELETE", path);
  }

  /** Watches until the signal is aborted. Returns when the watch is open. */
  async watch(path: string, signal: AbortSignal): Promise<{ readonly lines: readonly string[]; ended: Promise<void> }> {
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      const ended = this.#transport.stream(
        callOf("GET", `${path}?watch=true`),
        { onOpened: () => resolve({ lines, ended }), onLine: (line) => lines.push(String(line)) },
        signal,
      );
      ended.catch(reject);
    });
  }

  /** Waits until the object satisfies the condition and returns it. */
  async until(path: string, holds: (object: Body) => boolean): Promise<Body> {
    let seen: ApiResponse | undefined;
    await eventually(async () => {
      seen = await this.get(path);
      if (seen.code !== 200 || !holds(seen.body))
        throw new Error(`${path} does not satisfy the condition: ${seen.text}`);
    });
    return seen?.body;
  }

  async gone(path: string): Promise<void> {
    await eventually(async () => {
      const { code, text } = await this.get(path);
      if (code !== 404) throw new Error(`${path} still exists: ${text}`);
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #send(method: Call["method"], path: string, body?: Call["body"]): Promise<ApiResponse> {
    const call = { ...callOf(method, path), ...(body === undefined ? {} : { body }) };
    const { code, headers, body: text } = await this.#transport.request(call, lightAbortController().signal);
    return {
      code,
      text,
      warning: headers["warning"] ?? "",
      get body() {
        return JSON.parse(text);
      },
    };
  }
}

function callOf(method: Call["method"], address: string): Call {
  const [path = "", query] = address.split("?");
  return { method, path, query: new URLSearchParams(query) };
}

/** Retries an assertion, and fails with its last error after the timeout. */
export async function eventually(check: () => Promise<void>, waitMs = timeoutMs): Promise<void> {
  const endMs = systemClock.now() + waitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (systemClock.now() >= endMs) throw error;
      await sleep(systemClock, pollMs, lightAbortController().signal);
    }
  }
}
