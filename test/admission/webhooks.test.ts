import { grantsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configMapsType, shipsDefinition, shipsType } from "./object-types.ts";
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
  ship,
  shipKind,
} from "./quota-objects.ts";
import { eventually } from "./test-world.ts";
import { WebhookWorld } from "./webhook-world.ts";

let world: WebhookWorld;
const created = { code: 201, message: "" };
const kinds = [
  { group: "", resources: ["configmaps"] },
  { group: "fleet.example", resources: ["ships", "ships/scale"] },
];

beforeEach(async () => {
  world = await WebhookWorld.start(2);
  await registerAndGrant(world, "core/configmaps", configMapKind, 2);
  await createPolicy(world, policy("maps", configMapKind, "core/configmaps"));
  await world.routeTo(0, kinds);
});

afterEach(async () => {
  await world.stop();
  expect(world.reported).toEqual([]);
});

const post = (name: string) => world.tryCreate(configMapsType, configMap(name));

it("admits and rejects objects with the same answers on all replicas", async () => {
  expect(await post("a")).toEqual(created);
  await world.routeTo(1, kinds);
  expect(await post("b")).toEqual(created);
  const body = configMap("c");
  const rejected = await world.request({ method: "POST", path: "/api/v1/namespaces/default/configmaps", body });
  expect(rejected).toMatchObject({
    code: 403,
    body: {
      details: { name: "c", kind: "configmaps", causes: [{ reason: "QuotaExceeded", field: "core/configmaps" }] },
    },
  });
  expect(rejected.message).toBe(
    'admission webhook "quota.miloapis.com" denied the request: configmaps "c" is forbidden: Insufficient quota resources available: ' +
      'core/configmaps for Namespace "default": requested 1 configmap, limit 2, allocated 2, reserved 0, available 0. ' +
      "Delete resources you no longer need, or ask your platform team to raise the limit.",
  );
  await expectUsage(world, "core/configmaps", 2);
  expect(await claimsIn(world)).toHaveLength(2);
});

it("takes one unit for six concurrent creates of one object, and all but one get AlreadyExists", async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => post("same")));
  expect(answers.map(({ code }) => code).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  await eventually(async () => expect(await claimsIn(world)).toHaveLength(1));
  await expectUsage(world, "core/configmaps", 1);
});

it("warns when quota runs low, on all replicas", async () => {
  await world.create(grantsType, grant("eight-more", "core/configmaps", 8));
  await eventually(async () => expect(await limitOf(world, "core/configmaps")).toBe(10));
  const path = "/api/v1/namespaces/default/configmaps";
  const warned: string[] = [];
  for (let at = 1; at <= 10; at += 1) {
    if (at === 10) await world.routeTo(1, kinds);
    const { code, warnings } = await world.request({ method: "POST", path, body: configMap(`map-${at}`) });
    expect(code).toBe(201);
    warned.push(...warnings.map((text) => `${at}: ${text}`));
  }
  const output = (text: string) => `quota core/configmaps for Namespace "default" is ${text} of 10 configmaps`;
  expect(warned).toEqual([
    `8: ${output("80 % used: 8")}`,
    `9: ${output("nearly used up, 90 %: 9")}`,
    `10: ${output("used up: 10")}`,
  ]);
});

it("answers a dry run without writing anything", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const tried = await world.request({ method: "POST", path, query: { dryRun: "All" }, body: configMap("a") });
  expect(tried.code).toBe(201);
  expect(await claimsIn(world)).toEqual([]);
});

it("rejects a scale update over quota", async () => {
  await world.define(shipsDefinition, shipsType);
  await registerAndGrant(world, "fleet.example/ships", shipKind, 3);
  const requests = [{ resourceType: "fleet.example/ships", amountExpression: "trigger.spec.replicas" }];
  await createPolicy(world, policy("ships", shipKind, "fleet.example/ships", { requests }));
  await eventually(async () => {
    await world.create(shipsType, ship(`probe-${Math.random()}`, { replicas: 0 }));
    expect(await world.tryCreate(shipsType, ship("a", { replicas: 2 }))).toEqual(created);
  });
  const scale = (replicas: number) =>
    world.request({
      method: "PATCH",
      path: "/apis/fleet.example/v1/namespaces/default/ships/a/scale",
      type: "application/merge-patch+json",
      body: { spec: { replicas } },
    });
  expect((await scale(3)).code).toBe(200);
  expect((await scale(4)).code).toBe(403);
});

it("rejects invalid manual claims with all errors", async () => {
  const body = {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name: "wrong", namespace: "default" },
    spec: {
      consumerRef: { kind: "Namespace", name: "default" },
      requests: [
        { resourceType: "core/configmaps", amount: 0 },
        { resourceType: "core/unheard-of", amount: 1 },
      ],
    },
  };
  const path = "/apis/quota.miloapis.com/v1alpha1/namespaces/default/resourceclaims";
  const { code, body: status } = await world.request({ method: "POST", path, body });
  expect(code).toBe(422);
  const { causes } = status["details"] as { causes: { field: string }[] };
  expect(causes.map(({ field }) => field)).toEqual(["spec.requests[0].amount", "spec.requests[1].resourceType"]);
});
