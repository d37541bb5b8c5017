import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { type EmbeddedServer, startEmbedded } from "../../src/apiserver/embedded-server.ts";
import { MemoryLog } from "../../src/apiserver/storage/memory-log.ts";
import { systemClock } from "../../src/apiserver/system-clock.ts";
import { type PlaneLayout, planesOfServer } from "../../src/controllers/planes-of-server.ts";
import { anyObject } from "../../src/controllers/quota-types.ts";
import type { Runtime } from "../../src/controllers/runtime.ts";
import { quotaKinds } from "../../src/core/resources/kinds.ts";
import type { ResourceType } from "../../src/kube/client/resource-type.ts";
import { directTransport } from "../../src/kube/transport/direct-transport.ts";
import { StatusError } from "../../src/protocol/api-status.ts";
import type { JsonObject } from "../../src/protocol/json-value.ts";
import type { KubernetesObject } from "../../src/protocol/object-meta.ts";
import { crdOf } from "../../src/schema/crd.ts";
import { QuotaPlugin } from "../../src/up/admission-plugin.ts";
import { QuotaSystem } from "../../src/up/quota-system.ts";

type Json = Record<string, unknown>;

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const { signal } = new AbortController();
setMaxListeners(0, signal);
const definitionsType: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};
export const configMapsType: ResourceType = { group: "", version: "v1", plural: "configmaps", scope: "Namespaced" };

const layout: PlaneLayout = {
  addressOf: (plane) => ({ plane, prefix: plane === "root" ? "" : `/planes/${plane}` }),
  planeOf: () => undefined,
  ownerOf: () => undefined,
  hasOrganizationNamespaces: false,
};

/** A server with quota in its process. */
export class AdmissionWorld {
  readonly reported: string[] = [];
  readonly server: EmbeddedServer;
  readonly runtime: Runtime;
  readonly #system: QuotaSystem;

  static async start(): Promise<AdmissionWorld> {
    const plugin = new QuotaPlugin();
    const server = await startEmbedded({
      log: new MemoryLog(),
      clock: systemClock,
      tokens: [],
      plugins: [plugin],
      report: (error) => world.reported.push(String(error)),
    });
    const world: AdmissionWorld = new AdmissionWorld(server, plugin);
    for (const definition of quotaKinds) await world.create(definitionsType, crdOf(definition));
    await eventually(async () => {
      for (const definition of quotaKinds) await world.resource(definition).list({}, signal);
    });
    await world.#system.start();
    return world;
  }

  constructor(server: EmbeddedServer, plugin: QuotaPlugin) {
    this.server = server;
    const transport = directTransport((request) => server.api.handle(request), admin);
    this.runtime = {
      planes: planesOfServer(transport, layout),
      clock: systemClock,
      elapsedMs: () => performance.now(),
      random: { fraction: Math.random, uuid: randomUUID },
      incarnation: randomUUID(),
      report: (where, error) => this.reported.push(`${where}: ${(error as Error).message}`),
    };
    this.#system = new QuotaSystem({ runtime: this.runtime, plugin });
  }

  resource(type: ResourceType) {
    return this.runtime.planes.client("root").resource(type, anyObject);
  }

  create(type: ResourceType, object: Json): Promise<JsonObject> {
    return this.resource(type).create(object as unknown as KubernetesObject, {}, signal);
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

  async stop(): Promise<void> {
    await this.#system.stop();
    await this.server.stop();
  }
}

/** Looks again and again, for a few seconds. */
export async function eventually<Result>(look: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await look();
    } catch (error) {
      if (tries >= 300) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
