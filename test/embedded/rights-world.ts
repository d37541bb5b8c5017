import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import type { UserInfo } from "@milo-quota/kubernetes/protocol/user-info.ts";
import { type Up, up } from "@milo-quota/quota/embedded/up.ts";
import { expect } from "vitest";
import { userNamed, users } from "../apiserver/test-users.ts";
import { eventually } from "./api-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses of the server
type Body = any;

export interface Response {
  readonly code: number;
  readonly body: Body;
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";

/** The whole system in memory, whose requests name their user. */
export class RightsWorld {
  readonly #system: Up;
  readonly reported: string[];

  static async start(): Promise<RightsWorld> {
    const reported: string[] = [];
    const system = await up({
      host: "127.0.0.1",
      port: 0,
      clock: systemClock,
      elapsedMs: () => performance.now(),
      report: (where, error) => reported.push(`${where}: ${error}`),
    });
    return new RightsWorld(system, reported);
  }

  constructor(system: Up, reported: string[]) {
    this.#system = system;
    this.reported = reported;
  }

  stop(): Promise<void> {
    return this.#system.stop();
  }

  get(path: string, user: UserInfo | string = users.admin): Promise<Response> {
    return this.#send("GET", path, user);
  }

  create(path: string, body: object, user: UserInfo | string = users.admin): Promise<Response> {
    return this.#send("POST", path, user, body);
  }

  remove(path: string, user: UserInfo | string = users.admin): Promise<Response> {
    return this.#send("DELETE", path, user);
  }

  async make(path: string, body: object): Promise<void> {
    const { code, body: answer } = await this.create(path, body);
    expect(code, JSON.stringify(answer)).toBe(201);
  }

  async until(path: string, holds: (object: Body) => boolean): Promise<void> {
    await eventually(async () => {
      const { code, body } = await this.get(path);
      if (code !== 200 || !holds(body)) throw new Error(`${path} does not hold: ${JSON.stringify(body)}`);
    });
  }

  async gone(path: string): Promise<void> {
    await eventually(async () => expect((await this.get(path)).code).toBe(404));
  }

  /** Binds a user to a ClusterRole in a namespace. `prefix` is the path of a control plane. */
  async bind(role: string, user: string, namespace: string, prefix = ""): Promise<void> {
    await this.make(`${prefix}${rbac}/namespaces/${namespace}/rolebindings`, {
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata: { name: `${role}-${user.replaceAll(":", "-")}` },
      roleRef: { apiGroup, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup, kind: "User", name: user }],
    });
  }

  async #send(method: string, path: string, user: UserInfo | string, body?: object): Promise<Response> {
    const { code, body: text } = await this.#system.server.api.handle({
      method,
      path,
      query: new URLSearchParams(),
      headers: { "content-type": ["application/json"] },
      body: async () => (body === undefined ? "" : JSON.stringify(body)),
      abortController: new AbortController(),
      user: typeof user === "string" ? userNamed(user) : user,
    });
    return { code, body: JSON.parse(String(text)) };
  }
}
