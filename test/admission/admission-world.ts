import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Enforcement } from "../../src/admission/quota-admission.ts";
import { type EmbeddedServer, startEmbedded } from "../../src/apiserver/embedded-server.ts";
import type { AdmissionPlugin } from "../../src/apiserver/registry/admission.ts";
import { MemoryLog } from "../../src/apiserver/storage/memory-log.ts";
import { systemClock } from "../../src/apiserver/system-clock.ts";
import { type PlaneLayout, planesOfServer } from "../../src/controllers/planes-of-server.ts";
import { anyObject } from "../../src/controllers/quota-types.ts";
import type { Runtime } from "../../src/controllers/runtime.ts";
import { quotaKinds } from "../../src/core/resources/kinds.ts";
import { systemNamespace } from "../../src/core/resources/well-known.ts";
import type { ResourceClient } from "../../src/kube/client/resource-client.ts";
import type { ResourceType } from "../../src/kube/client/resource-type.ts";
import { type DirectRequest, directTransport } from "../../src/kube/transport/direct-transport.ts";
import { StatusError } from "../../src/protocol/api-status.ts";
import type { JsonObject } from "../../src/protocol/json-value.ts";
import type { KubernetesObject } from "../../src/protocol/object-meta.ts";
import { crdOf } from "../../src/schema/crd.ts";
import { QuotaPlugin } from "../../src/up/admission-plugin.ts";
import { QuotaSystem, type QuotaSystemOptions } from "../../src/up/quota-system.ts";
import { definitionsType, namespacesType } from "./object-types.ts";

export type Json = Record<string, unknown>;

export const { signal } = new AbortController();
setMaxListeners(0, signal);

const systemUser = { username: "system:milo-quota", uid: "", groups: ["system:masters"], extra: {} };
export const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };

const layout: PlaneLayout = {
  addressOf: (plane) => ({ plane, prefix: plane === "root" ? "" : `/planes/${plane}` }),
  planeOf: () => undefined,
  ownerOf: () => undefined,
  hasOrganizationNamespaces: false,
};

export interface WorldOptions extends Pick<QuotaSystemOptions, "waitMsMax" | "told" | "toldStreams" | "toldPolicies"> {
  /** Others with a say, after quota. */
  readonly plugins?: readonly AdmissionPlugin[];
}

/** What somebody was told who asked for something. */
export interface Told {
  readonly code: number;
  readonly body: Json;
  readonly message: string;
  readonly warnings: readonly string[];
}

export interface Asking {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly type?: string;
  readonly user?: DirectRequest["user"];
}

/** A server with quota in its process. */
export class AdmissionWorld {
  readonly reported: string[] = [];
  readonly server: EmbeddedServer;
  readonly runtime: Runtime;
  enforcement: Enforcement = "Enforce";
  /** How much longer everything takes to have been there than it has; timers are not early by it. */
  skippedMs = 0;
  readonly #system: QuotaSystem;

  static async start(options: WorldOptions = {}): Promise<AdmissionWorld> {
    const plugin = new QuotaPlugin();
    const server = await startEmbedded({
      log: new MemoryLog(),
      clock: systemClock,
      tokens: [],
      plugins: [plugin, ...(options.plugins ?? [])],
      report: (error) => world.reported.push(String(error)),
    });
    const world: AdmissionWorld = new AdmissionWorld(server, plugin, options);
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace } });
    for (const definition of quotaKinds) await world.define(crdOf(definition), definition);
    await world.#system.start();
    return world;
  }

  constructor(server: EmbeddedServer, plugin: QuotaPlugin, options: WorldOptions) {
    this.server = server;
    const transport = directTransport((request) => server.api.handle(request), systemUser);
    this.runtime = {
      planes: planesOfServer(transport, layout),
      clock: systemClock,
      elapsedMs: () => performance.now() + this.skippedMs,
      random: { fraction: Math.random, uuid: randomUUID },
      incarnation: randomUUID(),
      report: (where, error) => this.reported.push(`${where}: ${(error as Error).message}`),
    };
    const { plugins: _plugins, ...given } = options;
    const enforcement = (): Enforcement => this.enforcement;
    this.#system = new QuotaSystem({ ...given, runtime: this.runtime, plugin, enforcement });
  }

  get health(): QuotaSystem["health"] {
    return this.#system.health;
  }

  /** Serves a kind from now on. */
  async define(definition: Json, type: ResourceType): Promise<void> {
    await this.create(definitionsType, definition);
    await eventually(() => this.resource(type).list({}, signal));
  }

  resource(type: ResourceType): ResourceClient<JsonObject> {
    return this.runtime.planes.client("root").resource(type, anyObject);
  }

  create(type: ResourceType, object: Json): Promise<JsonObject> {
    return this.resource(type).create(object as unknown as KubernetesObject, {}, signal);
  }

  /** Asks for something as anybody may, and tells everything of the answer. */
  async ask({ method, path, query = {}, body, type = "application/json", user = admin }: Asking): Promise<Told> {
    const {
      code,
      headers,
      body: text,
    } = await this.server.api.handle({
      method,
      path,
      query: new URLSearchParams(query),
      headers: { accept: ["application/json"], "content-type": [type] },
      body: async () => (body === undefined ? "" : JSON.stringify(body)),
      life: new AbortController(),
      user,
    });
    const answer = JSON.parse(text as string) as Json;
    return { code, body: answer, message: String(answer["message"] ?? ""), warnings: warningsIn(headers) };
  }

  /** What was said to somebody who created an object: `201`, or the refusal. */
  async tryCreate(type: ResourceType, object: Json): Promise<{ readonly code: number; readonly message: string }> {
    try {
      await this.create(type, object);
      return { code: 201, message: "" };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return { code: error.status.code, message: error.status.message ?? "" };
    }
  }

  /** What went wrong that nobody was told of otherwise: that policies do not work is known by then. */
  get faults(): readonly string[] {
    return this.reported.filter((text) => !/^(events: more than|claims for stored objects: ClaimCreation)/.test(text));
  }

  async stop(): Promise<void> {
    await this.#system.stop();
    await this.server.stop();
  }
}

function warningsIn(headers: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === "warning")?.[1] ?? [];
  return [found].flat().map((text) => JSON.parse(text.replace(/^299 - /, "")) as string);
}

/** Looks again and again, for a few seconds. */
export async function eventually<Result>(look: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await look();
    } catch (error) {
      if (tries >= 500) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
