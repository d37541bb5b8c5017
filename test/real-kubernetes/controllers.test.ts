// The controllers on a real Kubernetes: two replicas with leader election.
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { loadAccess } from "@milo-quota/kubernetes/client/kubeconfig/load-access.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { anyObject } from "@milo-quota/kubernetes/client/resources/any-object.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { HttpTransport } from "@milo-quota/kubernetes/client/transport/http-transport.ts";
import { retryingTransport } from "@milo-quota/kubernetes/client/transport/retrying-transport.ts";
import type { KubernetesObject } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { installKinds } from "@milo-quota/quota/embedded/install-kinds.ts";
import { onePlane } from "@milo-quota/quota/views/one-plane.ts";
import {
  bucketsType,
  claimsType,
  effectiveGrantsType,
  grantPoliciesType,
  grantsType,
  registrationsType,
} from "@milo-quota/quota/views/quota-types.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const { signal } = lightAbortController();
const head = { apiVersion: "quota.miloapis.com/v1alpha1" };
const consumerRef = { apiGroup: "", kind: "Namespace", name: "default" };

let plane: ControlPlane;
let client: KubeClient;
const replicas: Controllers[] = [];
const reported: string[] = [];

function connect(userAgent: string) {
  const deps = { env: process.env, home: homedir(), clock: systemClock, hasTerminal: false };
  const access = loadAccess({ kubeconfig: plane.kubeconfig }, deps);
  return retryingTransport(new HttpTransport(access, { userAgent }), systemClock);
}

function replica(name: string): Controllers {
  const controllers = new Controllers({
    leadership: "elected",
    runtime: {
      planes: onePlane(connect(name)),
      clock: systemClock,
      elapsedMs: () => performance.now(),
      random: { fraction: Math.random, uuid: randomUUID },
      incarnation: `${name}-${randomUUID()}`,
      report: (where, error) => reported.push(`${name}, ${where}: ${(error as Error).message}`),
    },
  });
  controllers.start();
  return controllers;
}

beforeAll(async () => {
  plane = await startControlPlane();
  client = new KubeClient(connect("test"), rootPlane);
  await installKinds(client, quotaKinds, systemClock, signal);
  replicas.push(replica("one"), replica("two"));
}, 1_800_000);

afterAll(async () => {
  await Promise.all(replicas.map((controllers) => controllers.stop()));
  await client.transport.close();
  await plane.stop();
});

const create = (type: ResourceType, object: object) =>
  client.resource(type, anyObject).create(object as KubernetesObject, {}, signal);

const list = async (type: ResourceType): Promise<string> =>
  JSON.stringify((await client.resource(type, anyObject).list({}, signal)).items);

async function eventually(assertion: () => Promise<void>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await assertion();
    } catch (error) {
      if (tries >= 600) throw new Error(`${(error as Error).message}\n${reported.join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const claim = (name: string, amount = 1) => ({
  ...head,
  kind: "ResourceClaim",
  metadata: { name, namespace: "default" },
  spec: { consumerRef, requests: [{ resourceType: "example.com/things", amount }] },
});

const answers = async (): Promise<Record<string, string>> => {
  const { items } = await client.resource(claimsType, anyObject).list({}, signal);
  return Object.fromEntries(
    items.map((item) => {
      const { metadata, status } = item as unknown as {
        metadata: { name: string };
        status: { conditions: { reason: string }[] };
      };
      return [metadata.name, status.conditions[0]?.reason ?? ""];
    }),
  );
};

describe("controllers on a real Kubernetes", () => {
  it("grant claims that fit and deny others", { timeout: 120_000 }, async () => {
    await create(registrationsType, {
      ...head,
      kind: "ResourceRegistration",
      metadata: { name: "things" },
      spec: {
        resourceType: "example.com/things",
        type: "Entity",
        baseUnit: "thing",
        consumerType: { apiGroup: "", kind: "Namespace" },
      },
    });
    await create(grantsType, {
      ...head,
      kind: "ResourceGrant",
      metadata: { name: "ten", namespace: "default" },
      spec: { consumerRef, allowances: [{ resourceType: "example.com/things", buckets: [{ amount: 10 }] }] },
    });
    await eventually(async () => expect(await list(bucketsType)).toContain('"limit":10'));
    await Promise.all(Array.from({ length: 30 }, (_, at) => create(claimsType, claim(`claim-${at}`))));
    await eventually(async () => {
      const output = Object.values(await answers());
      expect(output.filter((reason) => reason === "QuotaAvailable")).toHaveLength(10);
      expect(output.filter((reason) => reason === "QuotaExceeded")).toHaveLength(20);
    });
    await eventually(async () => {
      expect(await list(bucketsType)).toMatch(/"allocated":10.*"reserved":0|"reserved":0.*"allocated":10/);
      expect(await list(effectiveGrantsType)).toContain('"totalAllocated":10');
    });
  });

  it("continue after the leader has stopped", { timeout: 120_000 }, async () => {
    await replicas.shift()?.stop();
    const [granted = ""] = Object.entries(await answers()).find(([, reason]) => reason === "QuotaAvailable") ?? [];
    await client.resource(claimsType, anyObject).delete({ namespace: "default", name: granted }, {}, signal);
    await create(claimsType, claim("after"));
    await eventually(async () => expect((await answers())["after"]).toBe("QuotaAvailable"));
  });

  it("create grants by policy", { timeout: 120_000 }, async () => {
    await create(grantPoliciesType, {
      ...head,
      kind: "GrantCreationPolicy",
      metadata: { name: "things-for-teams" },
      spec: {
        trigger: {
          resource: { apiVersion: "v1", kind: "Namespace" },
          constraints: [{ expression: 'trigger.metadata.labels["team"] == "yes"' }],
        },
        target: {
          resourceGrantTemplate: {
            metadata: { namespace: "{{ trigger.metadata.name }}" },
            spec: {
              consumerRef: { apiGroup: "", kind: "Namespace", name: "{{ trigger.metadata.name }}" },
              allowances: [{ resourceType: "example.com/things", buckets: [{ amount: 3 }] }],
            },
          },
        },
      },
    });
    const metadata = { name: "team-a", labels: { team: "yes" } };
    await create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata });
    await eventually(async () => expect(await list(bucketsType)).toContain('"limit":3'));
  });
});
