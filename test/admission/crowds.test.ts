import type { AdmissionPlugin } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { bucketsType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, namespacesType } from "./object-types.ts";
import { configMap, configMapKind, enforce, grant, policy, provide, registration } from "./quota-objects.ts";
import { eventually, type Json, signal } from "./served-world.ts";

const [maps, others] = ["core/configmaps", "core/others"];
const [asked, units] = [3_000, 1_000];
const timeoutMs = 120_000;

let world: AdmissionWorld;

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

const name = (at: number): string => `m-${at}`;

/** Creates all at once, and again what could not be decided; how many were made, and how many rejected for want of quota. */
async function crowd(
  objects: readonly Json[],
  plane = "root",
): Promise<{ readonly made: number; readonly rejected: number }> {
  let [made, rejected] = [0, 0];
  for (let left = objects; left.length > 0; ) {
    const answers = await Promise.all(left.map((object) => world.tryCreate(configMapsType, object, plane)));
    made += answers.filter(({ code }) => code === 201).length;
    rejected += answers.filter(({ code, message }) => code === 403 && message.includes("Insufficient quota")).length;
    left = left.filter((_, at) => [429, 503].includes(answers[at]?.code ?? 0));
  }
  return { made, rejected };
}

/** What each bucket of a type counts, and what its limit is. */
async function counted(
  type: string,
  plane = "root",
): Promise<readonly (readonly [allocated: unknown, limit: unknown])[]> {
  const { items } = await world.resource(bucketsType, plane).list({ limit: 1_000 }, signal);
  const buckets = items as unknown as { spec: { resourceType: string }; status: Json }[];
  return buckets
    .filter(({ spec }) => spec.resourceType === type)
    .map(({ status }) => [status["allocated"], status["limit"]] as const);
}

/** Granted claims that are left when everything has come to rest. */
async function claimCount(plane = "root"): Promise<number> {
  const pages = world.resource(claimsType, plane).pages({}, signal);
  let count = 0;
  for await (const { items } of pages) {
    count += items.filter((claim) => JSON.stringify(claim).includes("QuotaAvailable")).length;
  }
  return count;
}

describe(`of ${asked} creates at once, exactly as many are admitted as there is quota for`, () => {
  it(
    "by one consumer",
    async () => {
      world = await AdmissionWorld.start();
      await provide(world, maps, configMapKind, units);
      await enforce(world, policy("maps", configMapKind, maps));
      const objects = Array.from({ length: asked }, (_, at) => configMap(name(at)));
      expect(await crowd(objects)).toEqual({ made: units, rejected: asked - units });
      expect(await counted(maps)).toEqual([[units, units]]);
      await eventually(async () => expect(await claimCount()).toBe(units));
    },
    timeoutMs,
  );

  it(
    "by 200 consumers",
    async () => {
      world = await AdmissionWorld.start();
      const consumers = 200;
      const each = units / consumers;
      await world.create(registrationsType, registration(maps, [configMapKind]));
      for (let at = 0; at < consumers; at += 1) {
        const namespace = `n-${at}`;
        await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
        const given = grant("maps", maps, each, {
          consumerRef: { kind: "Namespace", name: namespace },
        });
        await world.create(grantsType, { ...given, metadata: { name: "maps", namespace } });
      }
      await enforce(world, policy("maps", configMapKind, maps));
      await eventually(async () => {
        const limits = (await counted(maps)).map(([, limit]) => limit);
        expect(limits).toEqual(Array(consumers).fill(each));
      });
      const objects = Array.from({ length: asked }, (_, at) =>
        configMap(name(at), {}, { namespace: `n-${at % consumers}` }),
      );
      expect(await crowd(objects)).toEqual({ made: units, rejected: asked - units });
      expect(await counted(maps)).toEqual(Array(consumers).fill([each, each]));
    },
    timeoutMs,
  );

  it(
    "by two policies, of which one has less to give",
    async () => {
      world = await AdmissionWorld.start();
      await provide(world, maps, configMapKind, 2 * units);
      await provide(world, others, configMapKind, units);
      await enforce(world, policy("maps", configMapKind, maps));
      await enforce(world, policy("others", configMapKind, others));
      const objects = Array.from({ length: asked }, (_, at) => configMap(name(at)));
      expect(await crowd(objects)).toEqual({ made: units, rejected: asked - units });
      await eventually(async () => {
        expect(await counted(maps)).toEqual([[units, 2 * units]]);
        expect(await counted(others)).toEqual([[units, units]]);
      });
    },
    timeoutMs,
  );

  it(
    "by a consumer whose quota is kept in another control plane",
    async () => {
      world = await AdmissionWorld.start({ planes: ["a"] });
      const consumer = { apiGroup: "resourcemanager.miloapis.com", kind: "Organization" };
      await world.create(registrationsType, registration(maps, [configMapKind], { consumerType: consumer }));
      const consumerRef = { ...consumer, name: "acme" };
      await world.create(grantsType, grant("maps", maps, units, { consumerRef }));
      const target = {
        resourceClaimTemplate: { spec: { consumerRef, requests: [{ resourceType: maps, amount: 1 }] } },
      };
      await enforce(world, policy("maps", configMapKind, maps, { spec: { target } }));
      await eventually(async () => expect(await counted(maps)).toEqual([[0, units]]));
      const objects = Array.from({ length: asked }, (_, at) => configMap(name(at)));
      expect(await crowd(objects, "a")).toEqual({ made: units, rejected: asked - units });
      expect(await counted(maps)).toEqual([[units, units]]);
      await eventually(async () => expect(await claimCount()).toBe(units));
      expect(await claimCount("a")).toBe(0);
    },
    timeoutMs,
  );

  it(
    "while one in ten is refused by another plug-in after its verdict",
    async () => {
      let refused = 0;
      const late: AdmissionPlugin = {
        name: "late",
        validate: async ({ operation, kind, name: called }) => {
          if (operation !== "CREATE" || kind.kind !== "ConfigMap" || !called.endsWith("7")) return { allowed: true };
          refused += 1;
          return { allowed: false, status: failure("Forbidden", "not on a Monday") };
        },
      };
      world = await AdmissionWorld.start({ plugins: [late] });
      await provide(world, maps, configMapKind, units);
      await enforce(world, policy("maps", configMapKind, maps));
      const objects = Array.from({ length: asked }, (_, at) => configMap(name(at)));
      expect((await crowd(objects)).made).toBe(units);
      expect(refused).toBeGreaterThan(units / 20);
      await eventually(async () => expect(await counted(maps)).toEqual([[units, units]]));
      await eventually(async () => expect(await claimCount()).toBe(units));
    },
    timeoutMs,
  );
});
