import type { AdmissionPlugin } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { bucketsType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, namespacesType } from "./object-types.ts";
import {
  configMap,
  configMapKind,
  createPolicy,
  grant,
  policy,
  registerAndGrant,
  registration,
} from "./quota-objects.ts";
import { eventually, type Json, signal } from "./test-world.ts";

const [maps, others] = ["core/configmaps", "core/others"];
const [createCount, units] = [3_000, 1_000];
const timeoutMs = 120_000;

let world: AdmissionWorld;

afterEach(async () => {
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

const name = (at: number): string => `m-${at}`;

/** Creates all objects concurrently, with retries for undecided ones. Returns how many were created and how many rejected by quota. */
async function createConcurrently(
  objects: readonly Json[],
  plane = "root",
): Promise<{ readonly created: number; readonly rejected: number }> {
  let [created, rejected] = [0, 0];
  for (let left = objects; left.length > 0; ) {
    const answers = await Promise.all(left.map((object) => world.tryCreate(configMapsType, object, plane)));
    created += answers.filter(({ code }) => code === 201).length;
    rejected += answers.filter(({ code, message }) => code === 403 && message.includes("Insufficient quota")).length;
    left = left.filter((_, at) => [429, 503].includes(answers[at]?.code ?? 0));
  }
  return { created, rejected };
}

/** Allocated amount and limit of all buckets of a type. */
async function usage(
  type: string,
  plane = "root",
): Promise<readonly (readonly [allocated: unknown, limit: unknown])[]> {
  const { items } = await world.resource(bucketsType, plane).list({ limit: 1_000 }, signal);
  const buckets = items as unknown as { spec: { resourceType: string }; status: Json }[];
  return buckets
    .filter(({ spec }) => spec.resourceType === type)
    .map(({ status }) => [status["allocated"], status["limit"]] as const);
}

/** Number of granted claims. */
async function claimCount(plane = "root"): Promise<number> {
  const pages = world.resource(claimsType, plane).pages({}, signal);
  let count = 0;
  for await (const { items } of pages) {
    count += items.filter((claim) => JSON.stringify(claim).includes("QuotaAvailable")).length;
  }
  return count;
}

describe(`of ${createCount} concurrent creates, exactly the limit is admitted`, () => {
  it(
    "for one consumer",
    async () => {
      world = await AdmissionWorld.start();
      await registerAndGrant(world, maps, configMapKind, units);
      await createPolicy(world, policy("maps", configMapKind, maps));
      const objects = Array.from({ length: createCount }, (_, at) => configMap(name(at)));
      expect(await createConcurrently(objects)).toEqual({ created: units, rejected: createCount - units });
      expect(await usage(maps)).toEqual([[units, units]]);
      await eventually(async () => expect(await claimCount()).toBe(units));
    },
    timeoutMs,
  );

  it(
    "for 200 consumers",
    async () => {
      world = await AdmissionWorld.start();
      const consumers = 200;
      const each = units / consumers;
      await world.create(registrationsType, registration(maps, [configMapKind]));
      for (let at = 0; at < consumers; at += 1) {
        const namespace = `n-${at}`;
        await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
        const namespaceGrant = grant("maps", maps, each, {
          consumerRef: { kind: "Namespace", name: namespace },
        });
        await world.create(grantsType, { ...namespaceGrant, metadata: { name: "maps", namespace } });
      }
      await createPolicy(world, policy("maps", configMapKind, maps));
      await eventually(async () => {
        const limits = (await usage(maps)).map(([, limit]) => limit);
        expect(limits).toEqual(Array(consumers).fill(each));
      });
      const objects = Array.from({ length: createCount }, (_, at) =>
        configMap(name(at), {}, { namespace: `n-${at % consumers}` }),
      );
      expect(await createConcurrently(objects)).toEqual({ created: units, rejected: createCount - units });
      expect(await usage(maps)).toEqual(Array(consumers).fill([each, each]));
    },
    timeoutMs,
  );

  it(
    "for two policies with different limits",
    async () => {
      world = await AdmissionWorld.start();
      await registerAndGrant(world, maps, configMapKind, 2 * units);
      await registerAndGrant(world, others, configMapKind, units);
      await createPolicy(world, policy("maps", configMapKind, maps));
      await createPolicy(world, policy("others", configMapKind, others));
      const objects = Array.from({ length: createCount }, (_, at) => configMap(name(at)));
      expect(await createConcurrently(objects)).toEqual({ created: units, rejected: createCount - units });
      await eventually(async () => {
        expect(await usage(maps)).toEqual([[units, 2 * units]]);
        expect(await usage(others)).toEqual([[units, units]]);
      });
    },
    timeoutMs,
  );

  it(
    "for a consumer with buckets in another control plane",
    async () => {
      world = await AdmissionWorld.start({ planes: ["a"] });
      const consumer = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization" };
      await world.create(registrationsType, registration(maps, [configMapKind], { consumerType: consumer }));
      const consumerRef = { ...consumer, name: "acme" };
      await world.create(grantsType, grant("maps", maps, units, { consumerRef }));
      const target = {
        resourceClaimTemplate: { spec: { consumerRef, requests: [{ resourceType: maps, amount: 1 }] } },
      };
      await createPolicy(world, policy("maps", configMapKind, maps, { spec: { target } }));
      await eventually(async () => expect(await usage(maps)).toEqual([[0, units]]));
      const objects = Array.from({ length: createCount }, (_, at) => configMap(name(at)));
      expect(await createConcurrently(objects, "a")).toEqual({ created: units, rejected: createCount - units });
      expect(await usage(maps)).toEqual([[units, units]]);
      await eventually(async () => expect(await claimCount()).toBe(units));
      expect(await claimCount("a")).toBe(0);
    },
    timeoutMs,
  );

  it(
    "while a later plug-in rejects one in ten",
    async () => {
      let rejectedLater = 0;
      const late: AdmissionPlugin = {
        name: "late",
        validate: async ({ operation, kind, name: called }) => {
          if (operation !== "CREATE" || kind.kind !== "ConfigMap" || !called.endsWith("7")) return { allowed: true };
          rejectedLater += 1;
          return { allowed: false, status: failure("Forbidden", "not on a Monday") };
        },
      };
      world = await AdmissionWorld.start({ plugins: [late] });
      await registerAndGrant(world, maps, configMapKind, units);
      await createPolicy(world, policy("maps", configMapKind, maps));
      const objects = Array.from({ length: createCount }, (_, at) => configMap(name(at)));
      expect((await createConcurrently(objects)).created).toBe(units);
      expect(rejectedLater).toBeGreaterThan(units / 20);
      await eventually(async () => expect(await usage(maps)).toEqual([[units, units]]));
      await eventually(async () => expect(await claimCount()).toBe(units));
    },
    timeoutMs,
  );
});
