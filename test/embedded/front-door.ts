import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
import type { ClusterAccess, Identity } from "@milo-quota/kubernetes/client/transport/cluster-access.ts";
import { SocketTransport } from "@milo-quota/kubernetes/client/transport/socket-transport.ts";
import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import type { Body } from "../apiserver/test-server.ts";

const lookMs = 25;
const patienceMs = 30_000;

export interface Answer {
  readonly code: number;
  readonly text: string;
  readonly body: Body;
  /** What the server warned of, as it wrote it. */
  readonly warning: string;
}

/** Talks to a server over TLS, as whoever a kubeconfig or a token says. */
export class FrontDoor {
  readonly #access: ClusterAccess;
  readonly #transport: SocketTransport;

  constructor(access: ClusterAccess) {
    this.#access = access;
    this.#transport = new SocketTransport(access, { userAgent: "milo-quota-test" });
  }

  static byKubeconfig(kubeconfig: string): FrontDoor {
    const surroundings = { env: {}, home: "/nowhere", hasTerminal: false, clock: systemClock, note: () => undefined };
    return new FrontDoor(loadAccess({ kubeconfig }, surroundings));
  }

  /** The same server, as somebody else. */
  async as(token: string): Promise<FrontDoor> {
    const known = await this.#access.identity(sharedAbort().signal);
    const identity: Identity = { ...known, headers: { authorization: `Bearer ${token}` } };
    return new FrontDoor({ ...this.#access, identity: async () => identity, refused: () => undefined });
  }

  get(path: string): Promise<Answer> {
    return this.#send("GET", path);
  }

  create(path: string, body: unknown): Promise<Answer> {
    return this.#send("POST", path, { type: "application/json", text: JSON.stringify(body) });
  }

  merge(path: string, body: unknown): Promise<Answer> {
    return this.#send("PATCH", path, { type: "application/merge-patch+json", text: JSON.stringify(body) });
  }

  /** Makes it, or makes it what is said here. */
  apply(path: string, body: unknown): Promise<Answer> {
    const type = "application/apply-patch+yaml";
    return this.#send("PATCH", `${path}?fieldManager=staff&force=true`, { type, text: JSON.stringify(body) });
  }

  remove(path: string): Promise<Answer> {
    return this.#send("DELETE", path);
  }

  /** Watches until the signal; returns once the server has agreed to, with what comes. */
  async watch(path: string, signal: AbortSignal): Promise<{ readonly lines: readonly string[]; ended: Promise<void> }> {
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      const ended = this.#transport.stream(
        callOf("GET", `${path}?watch=true`),
        { opened: () => resolve({ lines, ended }), line: (line) => lines.push(String(line)) },
        signal,
      );
      ended.catch(reject);
    });
  }

  /** Resolves with the object once it is as wanted. */
  async until(path: string, holds: (object: Body) => boolean): Promise<Body> {
    let seen: Answer | undefined;
    await eventually(async () => {
      seen = await this.get(path);
      if (seen.code !== 200 || !holds(seen.body)) throw new Error(`${path} is not as wanted: ${seen.text}`);
    });
    return seen?.body;
  }

  async gone(path: string): Promise<void> {
    await eventually(async () => {
      const { code, text } = await this.get(path);
      if (code !== 404) throw new Error(`${path} is still there: ${text}`);
    });
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #send(method: Call["method"], path: string, body?: Call["body"]): Promise<Answer> {
    const call = { ...callOf(method, path), ...(body === undefined ? {} : { body }) };
    const { code, headers, body: text } = await this.#transport.request(call, sharedAbort().signal);
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

/** Tries again until it holds, or nobody would wait any longer; then fails as the last try did. */
export async function eventually(check: () => Promise<void>, patience = patienceMs): Promise<void> {
  const endMs = systemClock.now() + patience;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (systemClock.now() >= endMs) throw error;
      await pause(systemClock, lookMs, sharedAbort().signal);
    }
  }
}
