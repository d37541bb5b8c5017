import { randomUUID } from "node:crypto";
import { startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Call, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { type PlaneLayout, planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import type { Running, Runtime } from "@milo-quota/quota/views/runtime.ts";
import { Views } from "@milo-quota/quota/views/views.ts";
import { expect } from "vitest";

export type Json = Record<string, unknown>;

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const { signal } = new AbortController();
const definitionsType: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};
const group = "resourcemanager.miloapis.com";
export const organization = { apiGroup: group, kind: "Organization" };

export const startMs = Date.UTC(2026, 0, 1);

const layout: PlaneLayout = {
  addressOf: (plane) => ({ plane, prefix: plane === "root" ? "" : `/planes/${plane}` }),
  planeOf: ({ kind, name }) => (kind === "Organization" ? "root" : kind === "Project" ? name : undefined),
  tenantOf: () => undefined,
  tenantKinds: () => [],
  hasOrganizationNamespaces: false,
};

function planeIn(path: string): { plane: string; path: string } {
  const found = /^\/planes\/([^/]+)(\/.*)$/.exec(path);
  return found === null ? { plane: "root", path } : { plane: found[1] ?? "", path: found[2] ?? "" };
}

/** A server with the quota CRDs in some planes, and the runtime of controllers. Waiting advances the fake clock. */
export class QuotaWorld {
  readonly clock = new FakeClock(startMs);
  readonly reported: string[] = [];
  /** Writes, as `PUT root/…`, since the last reset. */
  readonly writes: string[] = [];
  /** Called before each request; throws to fail it. */
  intercept: (call: Call) => void | Promise<void> = () => undefined;
  readonly runtime: Runtime;
  readonly views: Views;
  readonly #running: Running[] = [];
  readonly #stopServer: () => Promise<void>;

  static async start(planes: readonly string[] = ["root"]): Promise<QuotaWorld> {
    const clock = new FakeClock(startMs);
    const server = await startEmbedded({
      log: new MemoryLog(),
      clock,
      tokens: [],
      resolvePlane: planeIn,
      report: (error) => expect.fail(String(error)),
    });
    for (const plane of planes) await server.openPlane(plane);
    const world = new QuotaWorld(
      clock,
      directTransport((request) => server.api.handle(request), admin),
      () => server.stop(),
    );
    for (const plane of planes) await world.#define(plane);
    world.views.start();
    await world.views.ready;
    return world;
  }

  constructor(clock: FakeClock, transport: Transport, stopServer: () => Promise<void>) {
    this.clock = clock;
    this.#stopServer = stopServer;
    this.runtime = {
      planes: planesOfServer(this.#intercepted(transport), layout),
      clock,
      elapsedMs: () => clock.now(),
      random: { fraction: () => 0.5, uuid: randomUUID },
      incarnation: "test",
      report: (where, error) => this.reported.push(`${where}: ${(error as Error).message}`),
    };
    this.views = new Views(this.runtime);
  }

  /** Starts a controller, which is stopped with the world. */
  run<Controller extends Running>(controller: Controller): Controller {
    this.#running.push(controller);
    return controller;
  }

  async stop(): Promise<void> {
    for (const controller of this.#running) await controller.stop();
    await this.views.stop();
    await this.#stopServer();
  }

  resource(type: ResourceType, plane = "root") {
    return this.runtime.planes.client(plane).resource(type, anyObject);
  }

  create(type: ResourceType, object: Json, plane = "root"): Promise<JsonObject> {
    return this.resource(type, plane).create(object as unknown as KubernetesObject, {}, signal);
  }

  async find(
    type: ResourceType,
    name: string,
    at: { plane?: string; namespace?: string } = {},
  ): Promise<Json | undefined> {
    const ref = type.scope === "Cluster" ? { name } : { name, namespace: at.namespace ?? "default" };
    return this.resource(type, at.plane).find(ref, signal);
  }

  async delete(type: ResourceType, name: string, namespace = "default"): Promise<void> {
    await this.resource(type).delete(type.scope === "Cluster" ? { name } : { name, namespace }, {}, signal);
  }

  patch(type: ResourceType, name: string, body: Json): Promise<JsonObject> {
    const ref = type.scope === "Cluster" ? { name } : { name, namespace: "default" };
    return this.resource(type).patch(ref, { type: "merge", body }, {}, signal);
  }

  /** Advances the clock until an assertion holds, for a virtual minute. */
  async eventually(holds: () => void | Promise<void>, turns = 600): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      try {
        return await holds();
      } catch (error) {
        if (turn >= turns) throw error;
        await this.pass(100);
      }
    }
  }

  /** Advances the clock in small steps, so that controllers can work meanwhile. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      this.clock.advance(Math.min(left, 100));
      for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #intercepted(transport: Transport): Transport {
    return {
      ...transport,
      request: async (call, abort) => {
        await this.intercept(call);
        if (call.method !== "GET") this.writes.push(`${call.method} ${call.path}`);
        return transport.request(call, abort);
      },
    };
  }

  async #define(plane: string): Promise<void> {
    for (const definition of quotaKinds) await this.create(definitionsType, crdOf(definition), plane);
    await this.eventually(async () => {
      for (const definition of quotaKinds) await this.resource(definition, plane).list({}, signal);
    });
    this.writes.length = 0;
  }
}

export function registration(name: string, spec: Json = {}): Json {
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceRegistration",
    metadata: { name },
    spec: { resourceType: name, type: "Entity", baseUnit: "project", consumerType: organization, ...spec },
  };
}

export function grant(name: string, spec: Json = {}): Json {
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceGrant",
    metadata: { name, namespace: "default" },
    spec: {
      consumerRef: { ...organization, name: "acme" },
      allowances: [{ resourceType: "projects", buckets: [{ amount: 3 }] }],
      ...spec,
    },
  };
}

export interface ShownCondition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The Active condition of an object, without fields that vary. */
export function activeOf(object: Json | undefined): ShownCondition | undefined {
  const { conditions = [] } = (object?.["status"] ?? {}) as { conditions?: (ShownCondition & { type: string })[] };
  const found = conditions.find(({ type }) => type === "Active");
  return found && { status: found.status, reason: found.reason, message: found.message };
}
