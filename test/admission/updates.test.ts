import { claimPoliciesType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, eventsType, shipsDefinition, shipsType } from "./object-types.ts";
import {
  bucketOf,
  claimsIn,
  configMap,
  configMapKind,
  enforce,
  isReady,
  policy,
  provide,
  ship,
  shipKind,
  usesEventually,
} from "./quota-objects.ts";
import { eventually, type Json, signal, type Told } from "./served-world.ts";

let world: AdmissionWorld;
const ships = "/apis/fleet.example/v1/namespaces/default/ships";
const merge = "application/merge-patch+json";

beforeEach(async () => {
  world = await AdmissionWorld.start({ waitMsMax: 60_000 });
});

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

const patch = (path: string, body: Json, query: Readonly<Record<string, string>> = {}): Promise<Told> =>
  world.ask({ method: "PATCH", path, body, query, type: merge });

const map = "/api/v1/namespaces/default/configmaps";
const label = (name: string, value: string | null): Promise<Told> =>
  patch(`${map}/${name}`, { metadata: { labels: { counted: value } } });

/** There may be one config map that says that it counts. */
async function countMaps(): Promise<void> {
  await provide(world, "core/configmaps", configMapKind, 1);
  const constraints = [{ expression: 'trigger.metadata.labels["counted"] == "yes"' }];
  await enforce(world, policy("maps", configMapKind, "core/configmaps", { constraints }));
}

describe("an object that starts to match a policy", () => {
  beforeEach(async () => {
    await countMaps();
    for (const name of ["a", "b"]) await world.create(configMapsType, configMap(name));
  });

  it("claims all it needs: to create first and label then is no way around", async () => {
    expect((await label("a", "yes")).code).toBe(200);
    const { code, message } = await label("b", "yes");
    expect(code).toBe(403);
    expect(message).toContain("requested 1 configmap, limit 1, allocated 1, reserved 0, available 0");
    await usesEventually(world, "core/configmaps", 1);
    await eventually(async () => expect(await claimsIn(world)).toHaveLength(1));
  });

  it("claims nothing more by changes that do not matter", async () => {
    expect((await label("a", "yes")).code).toBe(200);
    expect((await patch(`${map}/a`, { data: { a: "1" } })).code).toBe(200);
    expect((await label("a", "yes")).code).toBe(200);
    await usesEventually(world, "core/configmaps", 1);
  });

  it("claims once when the same change comes several times at once, and keeps its claim", async () => {
    const codes = (await Promise.all(Array.from({ length: 5 }, () => label("a", "yes")))).map(({ code }) => code);
    expect(new Set(codes)).toEqual(new Set([200]));
    await usesEventually(world, "core/configmaps", 1);
    await eventually(async () => {
      const [claim, ...others] = (await claimsIn(world)) as { metadata: { annotations: Record<string, string> } }[];
      expect(others).toEqual([]);
      // Of those who were too late nothing is left, and nobody had to put anything right.
      expect(claim?.metadata.annotations["quota.miloapis.com/candidates"]).toMatch(/^[0-9a-f-]{36}$/);
    });
    const { items } = await world.resource(eventsType).list({}, signal);
    expect(items.filter(({ type }) => type === "Warning")).toEqual([]);
  });

  it("is told the truth by a dry run, which writes nothing", async () => {
    const tried = await patch(`${map}/a`, { metadata: { labels: { counted: "yes" } } }, { dryRun: "All" });
    expect(tried.code).toBe(200);
    expect(await claimsIn(world)).toEqual([]);
    await label("b", "yes");
    const refused = await patch(`${map}/a`, { metadata: { labels: { counted: "yes" } } }, { dryRun: "All" });
    expect(refused.code).toBe(403);
  });
});

describe("an object that stops matching a policy", () => {
  beforeEach(async () => {
    await countMaps();
    const labels = { counted: "yes" };
    await world.create(configMapsType, configMap("a", {}, { labels }));
    await world.create(configMapsType, configMap("b"));
  });

  it("gives back all it holds, once that is stored and nothing else may come", async () => {
    expect((await label("b", "yes")).code).toBe(403);
    expect((await label("a", null)).code).toBe(200);
    world.skippedMs = 60_000;
    await patch(`${map}/a`, { data: { look: "again" } });
    await usesEventually(world, "core/configmaps", 0);
    await eventually(async () => expect(await claimsIn(world)).toEqual([]));
    expect((await label("b", "yes")).code).toBe(200);
    await usesEventually(world, "core/configmaps", 1);
    expect((await label("a", "yes")).code).toBe(403); // it is not let in twice
  });
});

describe("an object whose need grows", () => {
  beforeEach(async () => {
    await world.define(shipsDefinition, shipsType);
    await provide(world, "fleet.example/tons", shipKind, 10);
    const amountExpression = "trigger.spec.size * trigger.spec.replicas";
    const requests = [{ resourceType: "fleet.example/tons", amountExpression }];
    await enforce(world, policy("tons", shipKind, "fleet.example/tons", { requests }));
    await world.create(shipsType, ship("a", { size: 4, replicas: 1 }));
  });

  it("claims what it needs more, before that is stored", async () => {
    expect((await patch(`${ships}/a`, { spec: { size: 7 } })).code).toBe(200);
    await usesEventually(world, "fleet.example/tons", 7);
    const { code, message } = await patch(`${ships}/a`, { spec: { size: 11 } });
    expect(code).toBe(403);
    expect(message).toContain("requested 4 tons, limit 10, allocated 7, reserved 0, available 3");
    await usesEventually(world, "fleet.example/tons", 7);
    expect(await world.resource(shipsType).get({ namespace: "default", name: "a" }, signal)).toMatchObject({
      spec: { size: 7 },
    });
  });

  it("gives nothing away that it does not get: a change that loses a race takes nothing", async () => {
    const stale = await world.ask({ method: "GET", path: `${ships}/a` });
    expect((await patch(`${ships}/a`, { spec: { note: "first" } })).code).toBe(200);
    const body = { ...stale.body, spec: { size: 9, replicas: 1 } };
    expect((await world.ask({ method: "PUT", path: `${ships}/a`, body })).code).toBe(409);
    await usesEventually(world, "fleet.example/tons", 4);
    expect(await claimsIn(world)).toHaveLength(1);
  });

  it("is not scaled past its quota either", async () => {
    expect((await patch(`${ships}/a/scale`, { spec: { replicas: 2 } })).code).toBe(200);
    await usesEventually(world, "fleet.example/tons", 8);
    expect((await patch(`${ships}/a/scale`, { spec: { replicas: 3 } })).code).toBe(403);
  });

  it("claims nothing by what controllers say of it", async () => {
    expect((await patch(`${ships}/a/status`, { status: { replicas: 9 } })).code).toBe(200);
    await usesEventually(world, "fleet.example/tons", 4);
    expect(await claimsIn(world)).toHaveLength(1);
  });

  it("gives back what it does not need any more as soon as that is stored, though it was made a moment ago", async () => {
    expect((await patch(`${ships}/a`, { spec: { size: 1 } })).code).toBe(200);
    expect((await bucketOf(world, "fleet.example/tons"))?.status["allocated"]).toBe(1);
  });

  it("can be let go while its policy does not work", async () => {
    await patch(`${ships}/a`, { metadata: { finalizers: ["example.com/hold"] } });
    const name = "tons";
    const requests = [{ resourceType: "fleet.example/tons", amountExpression: "trigger.spec.size / 0" }];
    await world.resource(claimPoliciesType).delete({ name }, {}, signal);
    await enforce(world, policy(name, shipKind, "fleet.example/tons", { requests }));
    await isReady(world, name);
    await eventually(async () => expect((await patch(`${ships}/a`, { spec: { size: 5 } })).code).toBe(500));
    expect((await world.ask({ method: "DELETE", path: `${ships}/a` })).code).toBe(200);
    expect((await patch(`${ships}/a`, { metadata: { finalizers: null } })).code).toBe(200);
    await eventually(async () => expect((await world.ask({ method: "GET", path: `${ships}/a` })).code).toBe(404));
  });
});
