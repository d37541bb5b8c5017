// The embedded server in memory, called in process without sockets, with a fake clock.

import { type EmbeddedOptions, type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { ApiRequest, ApiResponse } from "@milo-quota/kubernetes/client/transport/api-request.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { type TestUser, users } from "./test-users.ts";
import { WatchReader } from "./watch-reader.ts";

export interface Reply {
  readonly code: number;
  readonly headers: ApiResponse["headers"];
  readonly text: string;
  /** The parsed body; anything but an object fails the test. */
  readonly body: Body;
}

// biome-ignore lint/suspicious/noExplicitAny: tests know the shape of responses
export type Body = any;

export interface Call {
  readonly method?: string;
  /** Including the query. */
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  readonly user?: TestUser | undefined;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly life?: AbortController;
  readonly allPlanes?: boolean;
  readonly asksProgress?: boolean;
}

const startMs = 1_700_000_000_000;

export type TestOptions = Partial<Omit<EmbeddedOptions, "clock" | "report">> & { readonly clock?: FakeClock };

export class TestServer {
  readonly server: EmbeddedServer;
  readonly clock: FakeClock;
  /** Errors that the server reported. */
  readonly faults: unknown[];

  private constructor(server: EmbeddedServer, clock: FakeClock, faults: unknown[]) {
    this.server = server;
    this.clock = clock;
    this.faults = faults;
  }

  static async start(options: TestOptions = {}): Promise<TestServer> {
    const faults: unknown[] = [];
    const clock = options.clock ?? new FakeClock(startMs);
    const report = (error: unknown): unknown => faults.push(error);
    const server = await startEmbedded({ log: new MemoryLog(), tokens: [], ...options, clock, report });
    const started = new TestServer(server, clock, faults);
    await started.settled();
    return started;
  }

  async send(call: Call): Promise<Reply> {
    const answer = await this.server.api.handle(requestOf(call));
    if (typeof answer.body !== "string") throw new Error(`${call.path} answered with a stream`);
    const { code, headers, body: text } = answer;
    return {
      code,
      headers,
      text,
      get body() {
        return JSON.parse(text);
      },
    };
  }

  get(path: string, user?: TestUser): Promise<Reply> {
    return this.send({ path, user });
  }

  create(path: string, body: unknown, user?: TestUser): Promise<Reply> {
    return this.send({ method: "POST", path, body, user });
  }

  replace(path: string, body: unknown, user?: TestUser): Promise<Reply> {
    return this.send({ method: "PUT", path, body, user });
  }

  merge(path: string, body: unknown, user?: TestUser): Promise<Reply> {
    return this.send({ method: "PATCH", path, body, type: "application/merge-patch+json", user });
  }

  remove(path: string, body?: unknown, user?: TestUser): Promise<Reply> {
    return this.send({ method: "DELETE", path, body, user });
  }

  /** Opens a watch. A rejected one fails the test. */
  async watch(path: string, call: Partial<Call> = {}): Promise<WatchReader> {
    const answer = await this.server.api.handle(requestOf({ ...call, path }));
    if (typeof answer.body === "string") throw new Error(`${path} answered ${answer.code} ${answer.body}`);
    const reader = new WatchReader();
    answer.body.start(reader);
    return reader;
  }

  /** Advances the clock until a condition holds. */
  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let turn = 0; turn < 5_000; turn += 1) {
      if (await holds()) return;
      await turnOfEvents();
      this.clock.advance(20);
    }
    throw new Error(`timed out waiting until ${what}; faults: ${this.faults.join(", ")}`);
  }

  /** Waits until the server writes nothing more without the clock advancing. */
  async settled(): Promise<void> {
    const { store } = this.server.registry;
    for (let quiet = 0, revision = 0; quiet < 5; quiet += 1) {
      if (store.revision !== revision) quiet = 0;
      revision = store.revision;
      await turnOfEvents();
    }
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}

/** Lets pending promises and immediates settle. */
export function turnOfEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function requestOf(call: Call): ApiRequest {
  const { method = "GET", path, body, headers = {}, life: abortController = new AbortController() } = call;
  const [pathname = "", query = ""] = splitAt(path, "?");
  const user = "user" in call && call.user !== undefined ? call.user : users.admin;
  return {
    method,
    path: pathname,
    query: new URLSearchParams(query),
    headers: {
      ...(call.type === undefined ? {} : { "content-type": [call.type] }),
      ...(call.accept === undefined ? {} : { accept: [call.accept] }),
      ...headers,
    },
    body: async () => bodyOf(body),
    abortController,
    ...(user === "from headers" ? {} : { user }),
    ...(call.allPlanes === undefined ? {} : { allPlanes: call.allPlanes }),
    ...(call.asksProgress === undefined ? {} : { asksProgress: call.asksProgress }),
  };
}

function bodyOf(body: unknown): string | Uint8Array {
  if (body === undefined) return "";
  return typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
}

function splitAt(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
