import { setTimeout as pause } from "node:timers/promises";
import { claimPoliciesType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, eventsType } from "./object-types.ts";
import { configMap, configMapKind, enforce, policy, provide } from "./quota-objects.ts";
import { eventually, type Json, signal, type Told } from "./served-world.ts";

let world: AdmissionWorld;
const path = "/api/v1/namespaces/default/configmaps";
const type = "core/configmaps";
/** Longer than anything waits for company before it is written. */
const quietMs = 1_500;

/** Maps are counted by their labels: by policies that are enforced, that only watch, or that do not work. */
const policies: Readonly<Record<string, { readonly amount: string; readonly spec: Json }>> = {
  small: { amount: "1", spec: {} },
  large: { amount: "2", spec: {} },
  watched: { amount: "2", spec: { mode: "Shadow" } },
  broken: { amount: "int(trigger.data.size)", spec: {} },
  lenient: { amount: "int(trigger.data.size)", spec: { failurePolicy: "Ignore" } },
};

beforeEach(async () => {
  world = await AdmissionWorld.start({ waitMsMax: 60_000 });
  await provide(world, type, configMapKind, 2);
  for (const [name, { amount, spec }] of Object.entries(policies)) {
    const constraints = [{ expression: `trigger.metadata.labels["by"] == "${name}"` }];
    const requests = [{ resourceType: type, amountExpression: amount }];
    await enforce(world, policy(name, configMapKind, type, { constraints, requests, spec }));
  }
});

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

const tried = { dryRun: "All" };
const map = (name: string, by: string): Json => configMap(name, {}, { labels: { by } });
const create = (name: string, by: string, query: Readonly<Record<string, string>> = {}): Promise<Told> =>
  world.ask({ method: "POST", path, query, body: map(name, by) });
const update = (name: string, by: string, query: Readonly<Record<string, string>> = {}): Promise<Told> =>
  world.ask({
    method: "PATCH",
    path: `${path}/${name}`,
    query,
    type: "application/merge-patch+json",
    body: { metadata: { labels: { by } } },
  });

/** How far the store is, once nothing is on its way to it any more. */
async function atRest(): Promise<number> {
  const { store } = world.server.registry;
  // Objects that are older than a policy are counted once, a few seconds after it came.
  const isCounted = async () => {
    const { items } = await world.resource(claimPoliciesType).list({}, signal);
    for (const { status } of items) expect(status).toHaveProperty("existingObjectCount");
  };
  await vi.waitFor(isCounted, { timeout: 30_000, interval: 50 });
  for (;;) {
    const { revision } = store;
    await pause(quietMs);
    if (store.revision === revision) return revision;
  }
}

it("whatever it is told, a dry run leaves no trace: no object, no claim, no figure, no event", async () => {
  await world.create(configMapsType, configMap("free"));
  expect((await create("a", "small")).code).toBe(201);
  const before = await atRest();
  expect((await create("b", "small", tried)).code).toBe(201);
  expect((await update("free", "small", tried)).code).toBe(200);
  expect((await create("a", "small", tried)).code).toBe(409);
  expect((await create("b", "large", tried)).code).toBe(403);
  expect((await update("free", "large", tried)).code).toBe(403);
  expect((await create("b", "broken", tried)).code).toBe(500);
  for (const by of ["watched", "lenient"]) {
    const { code, warnings } = await create("b", by, tried);
    expect([code, warnings.length]).toEqual([201, 1]);
  }
  expect(await atRest()).toBe(before);

  const told = async () => {
    const { items } = await world.resource(eventsType).list({}, signal);
    return items.filter(({ reason }) => reason === "WouldBeRefused");
  };
  expect(await told()).toEqual([]);
  expect((await create("b", "watched")).code).toBe(201);
  await eventually(async () => expect(await told()).toHaveLength(1));
}, 60_000);
