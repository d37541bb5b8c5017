import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, namespacesType } from "./object-types.ts";
import {
  claimsIn,
  configMap,
  configMapKind,
  createPolicy,
  expectUsage,
  grant,
  limitOf,
  policy,
  registerAndGrant,
  registration,
} from "./quota-objects.ts";
import { eventually, signal } from "./test-world.ts";

let world: AdmissionWorld;
let opened: number;
const type = "core/configmaps";
const path = "/api/v1/namespaces/default/configmaps";
const created = { code: 201, message: "" };
/** The rejection of one more than the limit. */
const full = (name: string, limit: number) =>
  `configmaps "${name}" is forbidden: Insufficient quota resources available: core/configmaps for Namespace "default": requested 1 configmap, ` +
  `limit ${limit}, allocated ${limit}, reserved 0, available 0. Delete resources you no longer need, or ask your ` +
  "platform team to raise the limit.";

beforeEach(async () => {
  opened = 0;
  world = await AdmissionWorld.start({
    waitMsMax: 60_000, // for slow machines
    streamObserver: {
      onOpened: () => {
        opened += 1;
      },
    },
  });
  await registerAndGrant(world, type, configMapKind, 3);
  await createPolicy(world, policy("configmaps", configMapKind, type));
});

afterEach(async () => {
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

const post = (name: string) => world.tryCreate(configMapsType, configMap(name));
const remove = (name: string) => world.resource(configMapsType).delete({ namespace: "default", name }, {}, signal);

describe("an object", () => {
  it("is admitted while quota is available, rejected with the numbers at the limit, and admitted again when quota is freed", async () => {
    for (const name of ["a", "b", "c"]) expect(await post(name)).toEqual(created);
    expect(await post("d")).toEqual({ code: 403, message: full("d", 3) });
    await remove("a");
    await eventually(async () => expect(await post("d")).toEqual(created));
    expect(await post("e")).toEqual({ code: 403, message: full("e", 3) });
    await world.create(grantsType, grant("more", type, 1));
    await eventually(async () => expect(await limitOf(world, type)).toBe(4));
    expect(await post("e")).toEqual(created);
    await expectUsage(world, type, 4);
    expect(await claimsIn(world)).toHaveLength(4);
  });

  it("is rejected with a message if nothing is granted", async () => {
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "poor" } });
    const { code, message } = await world.tryCreate(configMapsType, configMap("a", {}, { namespace: "poor" }));
    expect(code).toBe(403);
    expect(message).toContain(
      "requested 1 configmap, limit 0, allocated 0, reserved 0, available 0. " +
        'Namespace "poor" has no grant for it yet.',
    );
  });

  it("is rejected with a message if nothing is granted, for units with special plurals", async () => {
    for (const [resourceType, baseUnit] of [
      ["core/storage", "GiB"],
      ["core/cpus", "vCPU"],
    ] as const) {
      await world.create(registrationsType, registration(resourceType, [configMapKind], { baseUnit }));
      await createPolicy(world, policy(baseUnit.toLowerCase(), configMapKind, resourceType));
    }
    for (const query of [{ dryRun: "All" }, {}]) {
      const { code, message } = await world.request({ method: "POST", path, query, body: configMap("a") });
      expect(code).toBe(403);
      expect(message).toContain("limit 0 GiB,");
      expect(message).toContain("limit 0 vCPU,");
      expect(message.match(/Namespace "default" has no grant for it yet\./g)).toHaveLength(1);
    }
  });

  it("takes one unit if it is created several times concurrently, and all but one get AlreadyExists", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post("same")));
    expect(answers.map(({ code }) => code).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    await expectUsage(world, type, 1);
    expect(await claimsIn(world)).toHaveLength(1);
  });

  it("gets AlreadyExists, not a quota rejection, when it is created again", async () => {
    for (const name of ["a", "b", "c"]) expect(await post(name)).toEqual(created);
    expect(await post("a")).toEqual({ code: 409, message: 'configmaps "a" already exists' });
    await expectUsage(world, type, 3);
  });

  it("can be created again under its name as soon as it is deleted", async () => {
    for (let round = 0; round < 5; round += 1) {
      expect(await post("again")).toEqual(created);
      await remove("again");
    }
    await expectUsage(world, type, 0);
    expect(await claimsIn(world)).toHaveLength(0);
  });

  it("holds its unit until its deletion is complete", async () => {
    const held = configMap("a", {}, { finalizers: ["example.com/hold"] });
    expect(await world.tryCreate(configMapsType, held)).toEqual(created);
    for (const name of ["b", "c"]) expect(await post(name)).toEqual(created);
    await remove("a");
    const { body } = await world.request({ method: "GET", path: `${path}/a` });
    expect(body["metadata"]).toHaveProperty("deletionTimestamp");
    expect(await post("d")).toEqual({ code: 403, message: full("d", 3) });
    world.skippedMs = 10 * 60_000; // even if it takes minutes
    const patch = (metadata: object) =>
      world.request({ method: "PATCH", path: `${path}/a`, type: "application/merge-patch+json", body: { metadata } });
    expect((await patch({ labels: { looked: "again" } })).code).toBe(200);
    await expectUsage(world, type, 3);
    expect(await post("d")).toEqual({ code: 403, message: full("d", 3) });
    expect((await patch({ finalizers: null })).code).toBe(200);
    await eventually(async () => expect(await post("d")).toEqual(created));
    expect((await world.request({ method: "GET", path: `${path}/a` })).code).toBe(404);
  });

  it("takes a unit with a generated name", async () => {
    const body = { ...configMapKind, metadata: { generateName: "made-", namespace: "default" } };
    const { code, body: createdObject } = await world.request({ method: "POST", path, body });
    expect(code).toBe(201);
    await expectUsage(world, type, 1);
    const { name } = createdObject["metadata"] as { name: string };
    const [claim] = await claimsIn(world);
    expect(claim).toMatchObject({ spec: { resourceRef: { kind: "ConfigMap", name, namespace: "default" } } });
  });

  it("takes a unit with the first server-side apply only", async () => {
    const apply = () =>
      world.request({
        method: "PATCH",
        path: `${path}/applied`,
        query: { fieldManager: "me" },
        type: "application/apply-patch+yaml",
        body: configMap("applied", { data: { a: "1" } }),
      });
    expect((await apply()).code).toBe(201);
    expect((await apply()).code).toBe(200);
    await expectUsage(world, type, 1);
  });

  it("is the candidate and the owner of its claim", async () => {
    const createdObject = await world.create(configMapsType, configMap("a"));
    const [claim] = await claimsIn(world);
    const { uid } = createdObject["metadata"] as { uid: string };
    expect(claim).toMatchObject({
      metadata: {
        labels: {
          "quota.miloapis.com/auto-created": "true",
          "quota.miloapis.com/policy": "configmaps",
          "quota.miloapis.com/gvk": "core.v1.ConfigMap",
        },
        annotations: {
          "quota.miloapis.com/created-by": "claim-creation-plugin",
          "quota.miloapis.com/candidates": uid,
          "quota.miloapis.com/resource-name": "a",
        },
        ownerReferences: [
          { apiVersion: "v1", kind: "ConfigMap", name: "a", uid, controller: false, blockOwnerDeletion: false },
        ],
      },
    });
  });

  it("shares the requests, the consumer and the labels of its claim with other claims in memory", async () => {
    for (const name of ["a", "b"]) expect(await post(name)).toEqual(created);
    const claims = [...world.server.registry.store.list({ resource: "resourceclaims.quota.miloapis.com" })];
    const [one, other] = claims.map(({ object }) => object["spec"] as { consumerRef: object; requests: object });
    expect(one).toMatchObject({ requests: [{ resourceType: type, amount: 1 }] });
    expect([one?.consumerRef === other?.consumerRef, one?.requests === other?.requests]).toEqual([true, true]);
    const [labels, others] = claims.map(({ object }) => object.metadata.labels);
    expect(labels === others).toBe(true);
  });

  it("gets a warning when quota runs low, and another when it is almost used up", async () => {
    await world.create(grantsType, grant("seven", type, 7));
    await eventually(async () => expect(await limitOf(world, type)).toBe(10));
    const warnings: (readonly string[])[] = [];
    for (let at = 1; at <= 10; at += 1) {
      const { code, warnings: sent } = await world.request({ method: "POST", path, body: configMap(`map-${at}`) });
      expect(code).toBe(201);
      warnings.push(sent);
    }
    const output = (text: string) => [`quota core/configmaps for Namespace "default" is ${text} of 10 configmaps`];
    expect(warnings.slice(0, 7).flat()).toEqual([]);
    expect(warnings.slice(7)).toEqual([
      output("80 % used: 8"),
      output("nearly used up, 90 %: 9"),
      output("used up: 10"),
    ]);
  });
});

describe("many objects", () => {
  it("open one watch, even if the first ones are concurrent", async () => {
    const claims = "/apis/quota.miloapis.com/v1alpha1/resourceclaims";
    const watches = () => world.watched.filter((watched) => watched === claims).length;
    const before = watches();
    const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => post(`first-${at}`)));
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(3);
    expect(answers.filter(({ code }) => code === 403)).toHaveLength(61);
    expect(opened).toBe(1);
    expect(watches() - before).toBe(1);
    expect(world.health).toMatchObject({ desired: 1, connected: 1, waiters: 0, activePolicies: 1 });
  });

  it("get exactly the limit: 3,000 creates for 1,000 units", { timeout: 120_000 }, async () => {
    await world.create(grantsType, grant("plenty", type, 997));
    await eventually(async () => expect(await limitOf(world, type)).toBe(1000));
    const answers = await Promise.all(Array.from({ length: 3_000 }, (_, at) => post(`one-of-many-${at}`)));
    const count = (code: number) => answers.filter((answer) => answer.code === code).length;
    expect({ createdObject: count(201), rejected: count(403), other: 3_000 - count(201) - count(403) }).toEqual({
      createdObject: 1_000,
      rejected: 2_000,
      other: 0,
    });
    await expectUsage(world, type, 1_000);
    await eventually(async () => {
      let found = 0;
      for await (const { items } of world.resource(claimsType).pages({}, signal)) found += items.length;
      expect(found).toBe(1_000);
    });
  });
});
