import { grantsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configMapsType, shipsDefinition, shipsType } from "./object-types.ts";
import {
  claimsIn,
  configMap,
  configMapKind,
  enforce,
  grant,
  limitOf,
  policy,
  provide,
  ship,
  shipKind,
  usesEventually,
} from "./quota-objects.ts";
import { eventually } from "./served-world.ts";
import { WebhookWorld } from "./webhook-world.ts";

let world: WebhookWorld;
const yes = { code: 201, message: "" };
const kinds = [
  { group: "", resources: ["configmaps"] },
  { group: "fleet.example", resources: ["ships", "ships/scale"] },
];

beforeEach(async () => {
  world = await WebhookWorld.start(2);
  await provide(world, "core/configmaps", configMapKind, 2);
  await enforce(world, policy("maps", configMapKind, "core/configmaps"));
  await world.askAt(0, kinds);
});

afterEach(async () => {
  await world.stop();
  expect(world.reported).toEqual([]);
});

const post = (name: string) => world.tryCreate(configMapsType, configMap(name));

it("objects are let in and refused over HTTPS, with the same answers, whichever replica is asked", async () => {
  expect(await post("a")).toEqual(yes);
  await world.askAt(1, kinds);
  expect(await post("b")).toEqual(yes);
  const body = configMap("c");
  const refused = await world.ask({ method: "POST", path: "/api/v1/namespaces/default/configmaps", body });
  expect(refused).toMatchObject({
    code: 403,
    body: { details: { causes: [{ reason: "QuotaExceeded", field: "core/configmaps" }] } },
  });
  expect(refused.message).toBe(
    'admission webhook "quota.miloapis.com" denied the request: Insufficient quota resources available: ' +
      'core/configmaps for Namespace "default": requested 1 configmap, limit 2, allocated 2, reserved 0, available 0. ' +
      "Delete resources you no longer need, or ask your platform team to raise the limit.",
  );
  await usesEventually(world, "core/configmaps", 2);
  expect(await claimsIn(world)).toHaveLength(2);
});

it("one object posted six times at once takes one unit, and all but one are told that it is there", async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => post("same")));
  expect(answers.map(({ code }) => code).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  await eventually(async () => expect(await claimsIn(world)).toHaveLength(1));
  await usesEventually(world, "core/configmaps", 1);
});

it("objects come with a warning when little is left, whichever replica is asked", async () => {
  await world.create(grantsType, grant("eight-more", "core/configmaps", 8));
  await eventually(async () => expect(await limitOf(world, "core/configmaps")).toBe(10));
  const path = "/api/v1/namespaces/default/configmaps";
  const warned: string[] = [];
  for (let at = 1; at <= 10; at += 1) {
    if (at === 10) await world.askAt(1, kinds);
    const { code, warnings } = await world.ask({ method: "POST", path, body: configMap(`map-${at}`) });
    expect(code).toBe(201);
    warned.push(...warnings.map((text) => `${at}: ${text}`));
  }
  const said = (text: string) => `quota core/configmaps for Namespace "default" is ${text} of 10 configmaps`;
  expect(warned).toEqual([
    `8: ${said("80 % used: 8")}`,
    `9: ${said("nearly used up, 90 %: 9")}`,
    `10: ${said("used up: 10")}`,
  ]);
});

it("a dry run is answered, and nothing is written", async () => {
  const path = "/api/v1/namespaces/default/configmaps";
  const tried = await world.ask({ method: "POST", path, query: { dryRun: "All" }, body: configMap("a") });
  expect(tried.code).toBe(201);
  expect(await claimsIn(world)).toEqual([]);
});

it("an object is not scaled past its quota", async () => {
  await world.define(shipsDefinition, shipsType);
  await provide(world, "fleet.example/ships", shipKind, 3);
  const requests = [{ resourceType: "fleet.example/ships", amountExpression: "trigger.spec.replicas" }];
  await enforce(world, policy("ships", shipKind, "fleet.example/ships", { requests }));
  await eventually(async () => {
    await world.create(shipsType, ship(`probe-${Math.random()}`, { replicas: 0 }));
    expect(await world.tryCreate(shipsType, ship("a", { replicas: 2 }))).toEqual(yes);
  });
  const scale = (replicas: number) =>
    world.ask({
      method: "PATCH",
      path: "/apis/fleet.example/v1/namespaces/default/ships/a/scale",
      type: "application/merge-patch+json",
      body: { spec: { replicas } },
    });
  expect((await scale(3)).code).toBe(200);
  expect((await scale(4)).code).toBe(403);
});

it("claims that nobody may make are refused over HTTPS too, with all that is wrong", async () => {
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
  const { code, body: status } = await world.ask({ method: "POST", path, body });
  expect(code).toBe(422);
  const { causes } = status["details"] as { causes: { field: string }[] };
  expect(causes.map(({ field }) => field)).toEqual(["spec.requests[0].amount", "spec.requests[1].resourceType"]);
});
