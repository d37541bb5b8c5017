// The whole system in memory: an API server with the quota kinds, the controllers, and API clients. Waiting advances the
// fake clock.
import { randomUUID } from "node:crypto";
import { type EmbeddedServer, rootPlane, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import type { QueueObservers } from "@milo-quota/kubernetes/client/queue/queue-observer.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Call, Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import type { KindDefinition } from "@milo-quota/kubernetes/schema/kind-definition.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import type { ConsumerRef } from "@milo-quota/quota/core/resources/fields/consumer-ref.ts";
import type { Dimensions } from "@milo-quota/quota/core/resources/fields/dimensions.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { bucketName, effectiveGrantName } from "@milo-quota/quota/core/resources/object-names.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { bucketsType, claimsType, effectiveGrantsType } from "@milo-quota/quota/views/quota-types.ts";
import { expect } from "vitest";
import { layout, prefixOf, resolvePlane } from "./project-planes.ts";

export type Json = Record<string, unknown>;

/** Plane and namespace of an object; by default the root plane and `default`. */
export interface Where {
  readonly plane?: string;
  readonly namespace?: string;
}

export interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const { signal } = lightAbortController();
const definitionsType: ResourceType = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  scope: "Cluster",
};

export interface SystemOptions {
  /** Projects with a control plane. */
  readonly projects?: readonly string[];
  /** Number of controller replicas; several use leader election. */
  readonly replicas?: number;
  /** Called before each request of the controllers; can fail or delay it. */
  readonly intercept?: (call: Call) => void | Promise<void>;
  /** Observes the work queues. */
  readonly queueObservers?: QueueObservers;
}

export class TestSystem {
  readonly clock: FakeClock;
  readonly server: EmbeddedServer;
  /** Errors that the controllers reported. */
  readonly reported: string[] = [];
  readonly transport: Transport;
  readonly controllers: Controllers[] = [];
  readonly #options: SystemOptions;

  static async start(options: SystemOptions = {}): Promise<TestSystem> {
    const clock = new FakeClock(Date.UTC(2026, 0, 1));
    const server = await startEmbedded({
      log: new MemoryLog(),
      clock,
      tokens: [],
      resolvePlane,
      definitionsFrom: (plane) => (plane === rootPlane ? undefined : rootPlane),
      report: (error) => expect.fail(String(error)),
    });
    const system = new TestSystem(clock, server, options);
    for (const project of options.projects ?? []) await server.openPlane(project);
    for (const kind of quotaKinds) await system.create(definitionsType, crdOf(kind) as unknown as Json);
    await system.eventually(async () => {
      for (const kind of quotaKinds) await system.list(kind);
    });
    const { replicas = 1 } = options;
    for (let at = 0; at < replicas; at += 1) system.startReplica(replicas === 1 ? "alone" : "elected");
    return system;
  }

  private constructor(clock: FakeClock, server: EmbeddedServer, options: SystemOptions) {
    this.clock = clock;
    this.server = server;
    this.#options = options;
    this.transport = directTransport((request) => server.api.handle(request), admin);
  }

  startReplica(leadership: "alone" | "elected"): Controllers {
    const { clock } = this;
    const { queueObservers } = this.#options;
    const replica = new Controllers({
      leadership,
      runtime: {
        planes: planesOfServer(this.#intercepted(), layout),
        clock,
        elapsedMs: () => clock.now(),
        random: { fraction: Math.random, uuid: randomUUID },
        incarnation: randomUUID(),
        report: (where, error) => this.reported.push(`${where}: ${(error as Error).message}`),
        ...(queueObservers === undefined ? {} : { queueObservers }),
      },
    });
    this.controllers.push(replica);
    replica.start();
    return replica;
  }

  async stop(): Promise<void> {
    const stopped = Promise.all(this.controllers.map((replica) => replica.stop()));
    let isStopped = false;
    stopped.finally(() => {
      isStopped = true;
    });
    for (let turns = 0; turns < 1_000 && !isStopped; turns += 1) await this.pass(100);
    await stopped;
    await this.server.stop();
  }

  resource(type: ResourceType, plane = rootPlane) {
    return new KubeClient(this.transport, { plane, prefix: prefixOf(plane) }).resource(type, anyObject);
  }

  async create(type: ResourceType, object: Json, { plane }: Where = {}): Promise<Json> {
    return this.resource(type, plane).create(object as unknown as KubernetesObject, {}, signal);
  }

  find(type: ResourceType, name: string, where: Where = {}): Promise<Json | undefined> {
    return this.resource(type, where.plane).find(refTo(type, name, where), signal);
  }

  async list(type: ResourceType, where: Where = {}): Promise<readonly Json[]> {
    const { namespace, plane } = where;
    const found: Json[] = [];
    const options = namespace === undefined ? {} : { namespace };
    for await (const { items } of this.resource(type, plane).pages(options, signal)) found.push(...items);
    return found;
  }

  patch(type: ResourceType, name: string, body: Json, where: Where = {}): Promise<Json> {
    return this.resource(type, where.plane).patch(refTo(type, name, where), { type: "merge", body }, {}, signal);
  }

  async delete(type: ResourceType, name: string, where: Where = {}): Promise<void> {
    await this.resource(type, where.plane).delete(refTo(type, name, where), {}, signal);
  }

  /** Status and reason of a claim's Granted condition, as `True QuotaAvailable`; undefined if it does not exist. */
  async answer(name: string, where: Where = {}): Promise<string | undefined> {
    const condition = conditionOf(await this.find(claimsType, name, where), "Granted");
    return condition && `${condition.status} ${condition.reason}`;
  }

  /** The figures of a bucket; undefined if it does not exist. */
  async figures(consumer: ConsumerRef, resourceType: string, dimensions: Dimensions = {}): Promise<Json | undefined> {
    const where = { plane: layout.planeOf(consumer) ?? rootPlane, namespace: "milo-system" };
    const bucket = await this.find(bucketsType, bucketName(consumer, resourceType, dimensions), where);
    return bucket && statusOf(bucket);
  }

  /** The EffectiveResourceGrant of a consumer's resource type; undefined if it does not exist. */
  async total(consumer: ConsumerRef, resourceType: string): Promise<Json | undefined> {
    const where = { plane: layout.planeOf(consumer) ?? rootPlane, namespace: "milo-system" };
    const effective = await this.find(effectiveGrantsType, effectiveGrantName(consumer, resourceType), where);
    return effective && statusOf(effective);
  }

  /** Serves a kind in all planes through a CRD of the root plane. */
  async define(kind: string, plural: string, group = "resourcemanager.miloapis.com"): Promise<ResourceType> {
    const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const type: ResourceType = { group, version: "v1alpha1", plural, scope: "Cluster" };
    await this.create(definitionsType, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Cluster",
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: [{ name: "v1alpha1", served: true, storage: true, schema: { openAPIV3Schema: anything } }],
      },
    });
    await this.eventually(async () => void (await this.list(type)));
    return type;
  }

  /** Overrides a CRD in one plane with one that accepts anything. */
  async defineAnything(kind: KindDefinition, plane: string): Promise<void> {
    const definition = crdOf(kind) as unknown as { spec: { versions: readonly Json[] } };
    const anything = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const versions = definition.spec.versions.map(({ selectableFields: _, ...version }) => ({
      ...version,
      schema: anything,
    }));
    const created = { ...definition, spec: { ...definition.spec, versions } };
    await this.create(definitionsType, created, { plane });
    await this.eventually(async () => {
      const found = await this.find(definitionsType, `${kind.plural}.${kind.group}`, { plane });
      expect(conditionOf(found, "Established")?.status).toBe("True");
    });
  }

  async undefine({ plural, group }: ResourceType): Promise<void> {
    await this.delete(definitionsType, `${plural}.${group}`);
  }

  /** Advances the clock until an assertion holds, for some virtual minutes. */
  async eventually(holds: () => void | Promise<void>, turns = 1_200): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      try {
        return await holds();
      } catch (error) {
        if (turn >= turns) throw error;
        await this.pass(turn < 50 ? 20 : 200);
      }
    }
  }

  /** Advances the clock in small steps, so that the system can work meanwhile. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      this.clock.advance(Math.min(left, 100));
      await this.rest();
    }
  }

  /** Lets the system work without advancing the clock. */
  async rest(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  #intercepted(): Transport {
    const { intercept } = this.#options;
    if (intercept === undefined) return this.transport;
    return {
      ...this.transport,
      request: async (call, abort) => {
        await intercept(call);
        return this.transport.request(call, abort);
      },
    };
  }
}

function refTo(type: ResourceType, name: string, { namespace = "default" }: Where) {
  return type.scope === "Cluster" ? { name } : { name, namespace };
}

export function statusOf(object: Json | undefined): Json {
  return (object?.["status"] ?? {}) as Json;
}

/** A condition of an object without fields that vary; undefined if there is none. */
export function conditionOf(object: Json | undefined, type: string): Condition | undefined {
  const { conditions = [] } = statusOf(object) as { conditions?: (Condition & { type: string })[] };
  const found = conditions.find((condition) => condition.type === type);
  return found && { status: found.status, reason: found.reason, message: found.message };
}
