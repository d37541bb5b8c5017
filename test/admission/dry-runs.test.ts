import { setTimeout as pause } from "node:timers/promises";
import { claimPoliciesType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, eventsType } from "./object-types.ts";
import { configMap, configMapKind, createPolicy, policy, registerAndGrant } from "./quota-objects.ts";
import { type ApiResponse, eventually, type Json, signal } from "./test-world.ts";

let world: AdmissionWorld;
const path = "/api/v1/namespaces/default/configmaps";
const type = "core/configmaps";
/** Longer than the delay of deferred writes. */
const quietMs = 1_500;

/** Policies by the value of a label: enforced, in Shadow mode, or failing. */
const policies: Readonly<Record<string, { readonly amount: string; readonly spec: Json }>> = {
  small: { amount: "1", spec: {} },
  large: { amount: "2", spec: {} },
  watched: { amount: "2", spec: { mode: "Shadow" } },
  broken: { amount: "int(trigger.data.size)", spec: {} },
  lenient: { amount: "int(trigger.data.size)", spec: { failurePolicy: "Ignore" } },
};

beforeEach(async () => {
  world = await AdmissionWorld.start({ waitMsMax: 60_000 });
  await registerAndGrant(world, type, configMapKind, 2);
  for (const [name, { amount, spec }] of Object.entries(policies)) {
    const constraints = [{ expression: `trigger.metadata.labels["by"] == "${name}"` }];
    const requests = [{ resourceType: type, amountExpression: amount }];
    await createPolicy(world, policy(name, configMapKind, type, { constraints, requests, spec }));
  }
});

afterEach(async () => {
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

const tried = { dryRun: "All" };
const map = (name: string, by: string): Json => configMap(name, {}, { labels: { by } });
const create = (name: string, by: string, query: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  world.request({ method: "POST", path, query, body: map(name, by) });
const update = (name: string, by: string, query: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  world.request({
    method: "PATCH",
    path: `${path}/${name}`,
    query,
    type: "application/merge-patch+json",
    body: { metadata: { labels: { by } } },
  });

/** Revision of the store after all deferred writes. */
async function atRest(): Promise<number> {
  const { store } = world.server.registry;
  // The controllers count existing objects a few seconds after a policy is created.
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

it("a dry run with any outcome writes no object, no claim, no bucket and no event", async () => {
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

  const events = async () => {
    const { items } = await world.resource(eventsType).list({}, signal);
    return items.filter(({ reason }) => reason === "WouldBeRejected");
  };
  expect(await events()).toEqual([]);
  expect((await create("b", "watched")).code).toBe(201);
  await eventually(async () => expect(await events()).toHaveLength(1));
}, 60_000);
