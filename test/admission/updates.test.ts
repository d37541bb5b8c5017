import { claimPoliciesType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, eventsType, shipsDefinition, shipsType } from "./object-types.ts";
import {
  bucketOf,
  claimsIn,
  configMap,
  configMapKind,
  createPolicy,
  expectUsage,
  policy,
  registerAndGrant,
  ship,
  shipKind,
  waitForPolicy,
} from "./quota-objects.ts";
import { type ApiResponse, eventually, type Json, signal } from "./test-world.ts";

let world: AdmissionWorld;
const ships = "/apis/fleet.example/v1/namespaces/default/ships";
const merge = "application/merge-patch+json";

beforeEach(async () => {
  world = await AdmissionWorld.start({ waitMsMax: 60_000 });
});

afterEach(async () => {
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

const patch = (path: string, body: Json, query: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  world.request({ method: "PATCH", path, body, query, type: merge });

const map = "/api/v1/namespaces/default/configmaps";
const label = (name: string, value: string | null): Promise<ApiResponse> =>
  patch(`${map}/${name}`, { metadata: { labels: { counted: value } } });

/** Limits ConfigMaps with the label to one. */
async function countMaps(): Promise<void> {
  await registerAndGrant(world, "core/configmaps", configMapKind, 1);
  const constraints = [{ expression: 'trigger.metadata.labels["counted"] == "yes"' }];
  await createPolicy(world, policy("maps", configMapKind, "core/configmaps", { constraints }));
}

describe("an object that starts to match a policy", () => {
  beforeEach(async () => {
    await countMaps();
    for (const name of ["a", "b"]) await world.create(configMapsType, configMap(name));
  });

  it("claims all that it needs, so a label that is added later does not bypass quota", async () => {
    expect((await label("a", "yes")).code).toBe(200);
    const { code, message } = await label("b", "yes");
    expect(code).toBe(403);
    expect(message).toContain("requested 1 configmap, limit 1, allocated 1, reserved 0, available 0");
    await expectUsage(world, "core/configmaps", 1);
    await eventually(async () => expect(await claimsIn(world)).toHaveLength(1));
  });

  it("claims nothing for unrelated changes", async () => {
    expect((await label("a", "yes")).code).toBe(200);
    expect((await patch(`${map}/a`, { data: { a: "1" } })).code).toBe(200);
    expect((await label("a", "yes")).code).toBe(200);
    await expectUsage(world, "core/configmaps", 1);
  });

  it("claims once for several concurrent identical updates", async () => {
    const codes = (await Promise.all(Array.from({ length: 5 }, () => label("a", "yes")))).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set([200]));
    await expectUsage(world, "core/configmaps", 1);
    await eventually(async () => {
      const [claim, ...others] = (await claimsIn(world)) as { metadata: { annotations: Record<string, string> } }[];
      expect(others).toEqual([]);
      // The losing updates leave nothing that a controller would have to repair.
      expect(claim?.metadata.annotations["quota.miloapis.com/candidates"]).toMatch(/^[0-9a-f-]{36}$/);
    });
    const { items } = await world.resource(eventsType).list({}, signal);
    expect(items.filter(({ type }) => type === "Warning")).toEqual([]);
  });

  it("gets the answer of a real update in a dry run, which writes nothing", async () => {
    const tried = await patch(`${map}/a`, { metadata: { labels: { counted: "yes" } } }, { dryRun: "All" });
    expect(tried.code).toBe(200);
    expect(await claimsIn(world)).toEqual([]);
    await label("b", "yes");
    const rejected = await patch(`${map}/a`, { metadata: { labels: { counted: "yes" } } }, { dryRun: "All" });
    expect(rejected.code).toBe(403);
  });
});

describe("an object that stops matching a policy", () => {
  beforeEach(async () => {
    await countMaps();
    const labels = { counted: "yes" };
    await world.create(configMapsType, configMap("a", {}, { labels }));
    await world.create(configMapsType, configMap("b"));
  });

  it("releases all that it holds when the update is stored", async () => {
    expect((await label("b", "yes")).code).toBe(403);
    expect((await label("a", null)).code).toBe(200);
    world.skippedMs = 60_000;
    await patch(`${map}/a`, { data: { look: "again" } });
    await expectUsage(world, "core/configmaps", 0);
    await eventually(async () => expect(await claimsIn(world)).toEqual([]));
    expect((await label("b", "yes")).code).toBe(200);
    await expectUsage(world, "core/configmaps", 1);
    expect((await label("a", "yes")).code).toBe(403); // its quota is taken by another object
  });
});

describe("an object whose need grows", () => {
  beforeEach(async () => {
    await world.define(shipsDefinition, shipsType);
    await registerAndGrant(world, "fleet.example/tons", shipKind, 10);
    const amountExpression = "trigger.spec.size * trigger.spec.replicas";
    const requests = [{ resourceType: "fleet.example/tons", amountExpression }];
    await createPolicy(world, policy("tons", shipKind, "fleet.example/tons", { requests }));
    await world.create(shipsType, ship("a", { size: 4, replicas: 1 }));
  });

  it("claims the difference before the update is stored", async () => {
    expect((await patch(`${ships}/a`, { spec: { size: 7 } })).code).toBe(200);
    await expectUsage(world, "fleet.example/tons", 7);
    const { code, message } = await patch(`${ships}/a`, { spec: { size: 11 } });
    expect(code).toBe(403);
    expect(message).toContain("requested 4 more tons, limit 10, allocated 7, reserved 0, available 3");
    await expectUsage(world, "fleet.example/tons", 7);
    expect(await world.resource(shipsType).get({ namespace: "default", name: "a" }, signal)).toMatchObject({
      spec: { size: 7 },
    });
  });

  it("claims nothing with an update that fails with a conflict", async () => {
    const stale = await world.request({ method: "GET", path: `${ships}/a` });
    expect((await patch(`${ships}/a`, { spec: { note: "first" } })).code).toBe(200);
    const body = { ...stale.body, spec: { size: 9, replicas: 1 } };
    expect((await world.request({ method: "PUT", path: `${ships}/a`, body })).code).toBe(409);
    await expectUsage(world, "fleet.example/tons", 4);
    expect(await claimsIn(world)).toHaveLength(1);
  });

  it("cannot be scaled over quota", async () => {
    expect((await patch(`${ships}/a/scale`, { spec: { replicas: 2 } })).code).toBe(200);
    await expectUsage(world, "fleet.example/tons", 8);
    expect((await patch(`${ships}/a/scale`, { spec: { replicas: 3 } })).code).toBe(403);
  });

  it("claims nothing for status updates", async () => {
    expect((await patch(`${ships}/a/status`, { status: { replicas: 9 } })).code).toBe(200);
    await expectUsage(world, "fleet.example/tons", 4);
    expect(await claimsIn(world)).toHaveLength(1);
  });

  it("releases quota as soon as a smaller size is stored, even right after its creation", async () => {
    expect((await patch(`${ships}/a`, { spec: { size: 1 } })).code).toBe(200);
    expect((await bucketOf(world, "fleet.example/tons"))?.status["allocated"]).toBe(1);
    const [claim] = (await claimsIn(world)) as unknown as { status: { amounts: string; allocations: Json[] } }[];
    expect(claim?.status).toMatchObject({
      phase: "Granted",
      amounts: "1 ton",
      allocations: [{ allocatedAmount: 1, message: expect.stringMatching(/^Allocated 1 ton from bucket namespace-/) }],
    });
  });

  it("can be deleted while its policy fails", async () => {
    await patch(`${ships}/a`, { metadata: { finalizers: ["example.com/hold"] } });
    const name = "tons";
    const requests = [{ resourceType: "fleet.example/tons", amountExpression: "trigger.spec.size / 0" }];
    await world.resource(claimPoliciesType).delete({ name }, {}, signal);
    await createPolicy(world, policy(name, shipKind, "fleet.example/tons", { requests }));
    await waitForPolicy(world, name);
    await eventually(async () => expect((await patch(`${ships}/a`, { spec: { size: 5 } })).code).toBe(500));
    expect((await world.request({ method: "DELETE", path: `${ships}/a` })).code).toBe(200);
    expect((await patch(`${ships}/a`, { metadata: { finalizers: null } })).code).toBe(200);
    await eventually(async () => expect((await world.request({ method: "GET", path: `${ships}/a` })).code).toBe(404));
  });
});
