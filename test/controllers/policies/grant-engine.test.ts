import { EventRecorder } from "@milo-quota/kubernetes/client/events/event-recorder.ts";
import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import type { ListerWatcher } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
import type { ObjectMeta } from "@milo-quota/kubernetes/protocol/object-meta.ts";
import { crdOf } from "@milo-quota/kubernetes/schema/crd.ts";
import { GrantEngine } from "@milo-quota/quota/controllers/policies/grant-engine.ts";
import { GrantPolicyReadiness } from "@milo-quota/quota/controllers/policies/grant-policy-readiness.ts";
import { ParentContexts } from "@milo-quota/quota/controllers/policies/parent-contexts.ts";
import { organizationDefinition } from "@milo-quota/quota/tenancy/resources/organization.ts";
import { GrantPolicyCache } from "@milo-quota/quota/views/grant-policy-cache.ts";
import { grantPoliciesType, grantsType } from "@milo-quota/quota/views/quota-types.ts";
import type { Runtime } from "@milo-quota/quota/views/runtime.ts";
import { afterEach, describe, expect, it } from "vitest";
import { grant, organization, type QuotaWorld } from "../grants/quota-world.ts";
import {
  activate,
  configMap,
  configMaps,
  events,
  grantPolicy,
  grantsIn,
  type Json,
  namespaces,
  register,
  shown,
  signal,
  startPolicyWorld,
} from "./policy-world.ts";

let world: QuotaWorld;
let start: (runtime?: Runtime) => GrantEngine;

/** A world with a registration of projects and an engine that is not started. */
async function begin(...planes: readonly string[]): Promise<void> {
  const { world: created, restMapper } = await startPolicyWorld(["root", ...planes]);
  world = created;
  await register(world, "projects");
  start = (runtime = world.runtime) => {
    const { views } = world;
    const policies = new GrantPolicyCache(runtime.planes, views.grantPolicies, views.registrationIndex);
    const parents = new ParentContexts();
    const readiness = new GrantPolicyReadiness({ runtime, policies, restMapper, parents });
    const recorder = new EventRecorder({
      ...runtime,
      eventsOf: (plane) => world.resource(events, plane),
      source: { component: "test", instance: "test" },
      report: (error) => runtime.report("events", error),
    });
    const engine = new GrantEngine({ runtime, views, policies, restMapper, parents, events: recorder });
    world.run(readiness);
    return world.run(engine);
  };
}

afterEach(() => world.stop());

const grants = (...planes: readonly string[]) => grantsIn(world, "root", ...planes);
const become = (expected: readonly string[], ...planes: readonly string[]) =>
  world.eventually(async () => expect(await grants(...planes)).toEqual(expected));

async function onlyGrant(
  plane = "root",
  consumer?: string,
): Promise<{ metadata: ObjectMeta & { name: string }; spec: Json }> {
  const { items } = await world.resource(grantsType, plane).list({}, signal);
  const found = (items as unknown as { spec: { consumerRef: { name: string } } }[]).filter(
    ({ spec }) => consumer === undefined || spec.consumerRef.name === consumer,
  );
  expect(found).toHaveLength(1);
  return found[0] as never;
}

/** Creates a trigger object and returns its UID. */
async function plan(name: string, amount: string, plane = "root"): Promise<string> {
  const created = await world.create(configMaps, configMap(name, { plan: amount }), plane);
  return (created["metadata"] as unknown as { uid: string }).uid;
}

const change = (name: string, body: Json, plane = "root") =>
  world.resource(configMaps, plane).patch({ namespace: "default", name }, { type: "merge", body }, {}, signal);
const remove = (name: string, plane = "root") =>
  world.resource(configMaps, plane).delete({ namespace: "default", name }, {}, signal);

describe("a grant of a policy", () => {
  it("is created, updated and deleted with its trigger object", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await plan("acme", "3");
    await become(["root/default/acme: 3"]);
    await change("acme", { data: { plan: "5" } });
    await become(["root/default/acme: 5"]);
    expect((await onlyGrant()).metadata.ownerReferences).toHaveLength(1);
    await change("acme", { data: { plan: null, other: "x" } });
    await become([]);
    await change("acme", { data: { plan: "7" } });
    await become(["root/default/acme: 7"]);
    await remove("acme");
    await become([]);
  });

  it("names its policy and its object, and is owned by the object", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans", {}, { metadata: { labels: { tier: "gold" } } }));
    const uid = await plan("acme", "3");
    await become(["root/default/acme: 3"]);
    expect((await onlyGrant()).metadata).toMatchObject({
      labels: { tier: "gold", "quota.miloapis.com/auto-created": "true", "quota.miloapis.com/policy": "plans" },
      annotations: {
        "quota.miloapis.com/policy": "plans",
        "quota.miloapis.com/resource-name": "acme",
        "quota.miloapis.com/resource-namespace": "default",
        "quota.miloapis.com/resource-kind": "ConfigMap",
        "quota.miloapis.com/resource-uid": uid,
      },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "acme", uid, controller: true }],
    });
  });

  it("is created once for existing objects", async () => {
    await begin();
    for (let at = 1; at <= 5; at += 1) await world.create(configMaps, configMap(`org-${at}`, { plan: `${at}` }));
    await world.create(grantPoliciesType, grantPolicy("plans"));
    start();
    const expected = [1, 2, 3, 4, 5].map((at) => `root/default/org-${at}: ${at}`);
    await become(expected);
    await world.pass(5_000);
    world.writes.length = 0;
    await world.pass(120_000);
    expect(world.writes).toEqual([]);
    expect(await grants()).toEqual(expected);
  });

  it("is restored after changes of its spec, but keeps foreign annotations", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans", {}, { metadata: { labels: { tier: "gold" } } }));
    await plan("acme", "3");
    await become(["root/default/acme: 3"]);
    const { name } = (await onlyGrant()).metadata;
    await world.patch(grantsType, name, {
      metadata: { labels: { mine: "yes", tier: "silver" } },
      spec: {
        expiresAt: "2030-01-01T00:00:00Z",
        allowances: [{ resourceType: "projects", buckets: [{ amount: 1000 }] }],
      },
    });
    await world.eventually(async () => {
      const { spec, metadata } = await onlyGrant();
      expect(spec).toEqual({
        consumerRef: { ...organization, name: "acme" },
        allowances: [{ resourceType: "projects", buckets: [{ amount: 3 }] }],
      });
      expect(metadata.labels).toMatchObject({ mine: "yes" });
    });
    // Changed labels alone are not restored.
    await world.patch(grantsType, name, { metadata: { labels: { tier: "silver" } } });
    await world.pass(5_000);
    expect((await onlyGrant()).metadata.labels).toMatchObject({ tier: "silver" });
    await world.patch(grantPoliciesType, "plans", {
      spec: { target: { resourceGrantTemplate: { metadata: { labels: { tier: "platinum" } } } } },
    });
    await world.eventually(async () => expect((await onlyGrant()).metadata.labels).toMatchObject({ tier: "platinum" }));
  });

  it("stays while its object is being deleted, but is not recreated", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await plan("acme", "3");
    await plan("other", "1");
    await change("acme", { metadata: { finalizers: ["example.com/hold"] } });
    await become(["root/default/acme: 3", "root/default/other: 1"]);
    await remove("acme");
    await world.pass(5_000);
    expect(await grants()).toEqual(["root/default/acme: 3", "root/default/other: 1"]);
    const { items } = await world.resource(grantsType).list({}, signal);
    for (const { metadata } of items) await world.delete(grantsType, (metadata as unknown as { name: string }).name);
    await become(["root/default/other: 1"]);
    await world.pass(5_000);
    expect(await grants()).toEqual(["root/default/other: 1"]);
  });

  it("is recreated after a delete", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await plan("acme", "3");
    await become(["root/default/acme: 3"]);
    const { uid, name } = (await onlyGrant()).metadata;
    await world.delete(grantsType, name);
    await world.eventually(async () => expect((await onlyGrant()).metadata.uid).not.toBe(uid));
  });

  it("is moved to a new object of the same name", async () => {
    await begin();
    const engine = start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await plan("acme", "3");
    await become(["root/default/acme: 3"]);
    await engine.stop();
    await remove("acme");
    const uid = await plan("acme", "3");
    start();
    await world.eventually(async () =>
      expect((await onlyGrant()).metadata.ownerReferences?.map((owner) => owner.uid)).toEqual([uid]),
    );
  });
});

describe("a policy", () => {
  const ends: Record<string, () => Promise<unknown>> = {
    "changes its trigger kind": () =>
      world.patch(grantPoliciesType, "plans", {
        spec: { trigger: { resource: { apiVersion: "v1", kind: "Secret" } } },
      }),
    "changes its constraints": () =>
      world.patch(grantPoliciesType, "plans", { spec: { trigger: { constraints: [{ expression: "false" }] } } }),
  };
  for (const [name, end] of Object.entries(ends)) {
    it(`deletes only its own grants when it ${name}`, async () => {
      await begin();
      start();
      await world.create(grantsType, grant("by-hand"));
      await world.create(grantPoliciesType, grantPolicy("plans"));
      await plan("acme", "5");
      await become(["root/default/acme: 3", "root/default/acme: 5"]);
      await end();
      await become(["root/default/acme: 3"]);
    });

    it(`deletes its grants when it ${name} while no engine runs`, async () => {
      await begin();
      const engine = start();
      await world.create(grantPoliciesType, grantPolicy("plans"));
      await plan("acme", "5");
      await become(["root/default/acme: 5"]);
      await engine.stop();
      await end();
      start();
      await become([]);
    });
  }

  const pauses: Record<string, () => Promise<unknown>> = {
    "is deleted": () => world.delete(grantPoliciesType, "plans"),
    "is disabled": () => world.patch(grantPoliciesType, "plans", { spec: { disabled: true } }),
  };
  for (const [name, pause] of Object.entries(pauses)) {
    it(`leaves its grants when it ${name}, until their objects are gone`, async () => {
      await begin();
      start();
      await world.create(grantPoliciesType, grantPolicy("plans"));
      for (const each of ["acme", "other"]) await plan(each, "5");
      await become(["root/default/acme: 5", "root/default/other: 5"]);
      await pause();
      await change("other", { data: { plan: "6" } });
      await world.pass(20_000);
      expect(await grants()).toEqual(["root/default/acme: 5", "root/default/other: 5"]);
      const engine = start(); // after a restart
      await world.pass(20_000);
      await engine.stop();
      expect(await grants()).toEqual(["root/default/acme: 5", "root/default/other: 5"]);
      await world.delete(grantsType, (await onlyGrant("root", "acme")).metadata.name);
      await world.pass(20_000);
      expect(await grants()).toEqual(["root/default/other: 5"]);
    });

    it(`deletes a grant that its object cannot own when it ${name} and the object is gone`, async () => {
      await begin();
      start();
      await world.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
      await world.create(grantPoliciesType, grantPolicy("plans", {}, { metadata: { namespace: "other" } }));
      for (const each of ["acme", "again", "stays"]) await plan(each, "5");
      const all = ["root/other/acme: 5", "root/other/again: 5", "root/other/stays: 5"];
      await become(all);
      await pause();
      await world.pass(20_000);
      expect(await grants()).toEqual(all);
      await remove("acme");
      await remove("again");
      await plan("again", "5");
      await world.pass(400_000);
      expect(await grants()).toEqual(["root/other/stays: 5"]);
    });
  }

  it("takes up its grants when it is enabled again", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    for (const each of ["acme", "other"]) await plan(each, "5");
    await become(["root/default/acme: 5", "root/default/other: 5"]);
    await world.patch(grantPoliciesType, "plans", { spec: { disabled: true } });
    await change("acme", { data: { plan: "6" } });
    await change("other", { data: { plan: null } });
    await world.pass(20_000);
    expect(await grants()).toEqual(["root/default/acme: 5", "root/default/other: 5"]);
    await world.patch(grantPoliciesType, "plans", { spec: { disabled: false } });
    await become(["root/default/acme: 6"]);
  });

  it("moves its grants when it names another namespace", async () => {
    await begin();
    start();
    await world.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await plan("acme", "5");
    await become(["root/default/acme: 5"]);
    await world.patch(grantPoliciesType, "plans", {
      spec: { target: { resourceGrantTemplate: { metadata: { namespace: "other" } } } },
    });
    await become(["root/other/acme: 5"]);
    expect((await onlyGrant()).metadata.ownerReferences ?? []).toEqual([]);
    await remove("acme");
    await become([]);
  });

  it("that becomes invalid deletes nothing", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await plan("acme", "5");
    await become(["root/default/acme: 5"]);
    await activate(world, "projects", "False");
    await world.eventually(async () => expect(await shown(world, "grant", "plans")).toMatch(/^False ValidationFailed/));
    await world.pass(60_000);
    expect(await grants()).toEqual(["root/default/acme: 5"]);
    await change("acme", { data: { plan: "6" } });
    await activate(world, "projects");
    await become(["root/default/acme: 6"]);
  });

  it("that fails for one object reports it, keeps that grant, and works for other objects", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await plan("acme", "5");
    await become(["root/default/acme: 5"]);
    await change("acme", { data: { plan: "lots" } });
    await plan("other", "1");
    await become(["root/default/acme: 5", "root/default/other: 1"]);
    await world.eventually(async () => {
      const { items } = await world.resource(events).list({ namespace: "default" }, signal);
      const notMade = items.filter((event) => event["reason"] === "GrantNotMade");
      expect(notMade).toEqual([
        expect.objectContaining({
          involvedObject: expect.objectContaining({ kind: "GrantCreationPolicy", name: "plans" }),
          message: expect.stringContaining('ConfigMap "default/acme"'),
        }),
      ]);
    });
    expect(await shown(world, "grant", "plans")).toMatch(/^True PolicyReady/);
  });

  it("never takes over a foreign grant of the same name", async () => {
    await begin();
    start();
    await world.create(grantsType, grant("fixed"));
    await world.create(grantPoliciesType, grantPolicy("plans", {}, { metadata: { name: "fixed" } }));
    await plan("other", "9");
    await world.eventually(async () => {
      const { items } = await world.resource(events).list({ namespace: "default" }, signal);
      expect(items.map((event) => event["message"]).join()).toContain('"default/fixed"');
    });
    expect(await grants()).toEqual(["root/default/acme: 3"]);
    await world.delete(grantsType, "fixed");
    await become(["root/default/other: 9"]);
    // If two objects render the same grant name, the first one keeps it.
    await plan("third", "2");
    await world.pass(10_000);
    expect(await grants()).toEqual(["root/default/other: 9"]);
    await remove("other");
    await become(["root/default/third: 2"]);
  });
});

describe("a policy in the root plane with grants in project planes", () => {
  const parentContext = {
    apiGroup: organization.apiGroup,
    kind: "Project",
    nameExpression: "trigger.data.project",
  };
  const policy = (): Json => {
    const created = grantPolicy("plans") as { spec: { target: Json } };
    return { ...created, spec: { ...created.spec, target: { ...created.spec.target, parentContext } } };
  };
  const planFor = (project: string, amount = "5") => configMap("acme", { plan: amount, project });

  it("creates them there and deletes them with the object", async () => {
    await begin("a", "b");
    start();
    await world.create(grantPoliciesType, policy());
    await world.create(configMaps, planFor("a"));
    await become(["a/default/acme: 5"], "a", "b");
    expect((await onlyGrant("a")).metadata.ownerReferences ?? []).toEqual([]);
    await change("acme", { data: { project: "b" } });
    await become(["b/default/acme: 5"], "a", "b");
    await remove("acme");
    await become([], "a", "b");
  });

  it("deletes them if the object was deleted while no engine ran", async () => {
    await begin("a");
    const engine = start();
    await world.create(grantPoliciesType, policy());
    await world.create(configMaps, planFor("a"));
    await become(["a/default/acme: 5"], "a");
    await engine.stop();
    await remove("acme");
    await world.pass(60_000);
    expect(await grants("a")).toEqual(["a/default/acme: 5"]);
    start();
    await become([], "a");
  });

  it("reports a missing plane and works for the existing ones", async () => {
    await begin("a");
    start();
    await world.create(grantPoliciesType, {
      ...policy(),
      spec: { ...(policy()["spec"] as Json), trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" } } },
    });
    await world.create(configMaps, configMap("broken", { plan: "1" }));
    await world.create(configMaps, planFor("a"));
    await become(["a/default/acme: 5"], "a");
    const parent = () => shown(world, "grant", "plans", { type: "ParentContextReady" });
    await world.eventually(async () => {
      expect(await parent()).toMatch(/^False ParentContextUnresolved: .*ConfigMap "default\/broken"/);
      expect(await shown(world, "grant", "plans")).toMatch(/^True PolicyReady/);
    });
    await remove("acme");
    await world.eventually(async () => expect(await shown(world, "grant", "plans")).toMatch(/^False ValidationFailed/));
    await change("broken", { data: { project: "a" } });
    await become(["a/default/broken: 1"], "a");
    await world.eventually(async () => {
      expect(await parent()).toMatch(/^True ParentContextResolved/);
      expect(await shown(world, "grant", "plans")).toMatch(/^True PolicyReady/);
    });
  });

  it("continues when a plane answers again", async () => {
    await begin("a", "b");
    start();
    world.intercept = (call) => {
      if (call.method === "POST" && call.path.startsWith("/planes/a/")) throw new Error("no route");
    };
    await world.create(grantPoliciesType, policy());
    await world.create(configMaps, planFor("a"));
    await world.create(configMaps, configMap("other", { plan: "1", project: "b" }));
    await become(["b/default/other: 1"], "a", "b");
    await world.eventually(async () =>
      expect(await shown(world, "grant", "plans", { type: "ParentContextReady" })).toContain("no route"),
    );
    world.intercept = () => undefined;
    await become(["a/default/acme: 5", "b/default/other: 1"], "a", "b");
  });
});

describe("a policy whose parent context names an organization", () => {
  const organizations = {
    group: organization.apiGroup,
    version: "v1alpha1",
    plural: "organizations",
    scope: "Cluster",
  };
  const acme = { apiVersion: `${organization.apiGroup}/v1alpha1`, kind: "Organization", metadata: { name: "acme" } };
  const parent = () => shown(world, "grant", "plans", { type: "ParentContextReady" });

  const beginWithOrganizations = async (): Promise<void> => {
    await begin();
    await world.create(
      { group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions", scope: "Cluster" },
      crdOf(organizationDefinition),
    );
    start();
    const created = grantPolicy("plans") as { spec: { target: Json } };
    const parentContext = { ...organization, nameExpression: "trigger.data.parent" };
    const spec = { ...created.spec, target: { ...created.spec.target, parentContext } };
    await world.create(grantPoliciesType, { ...created, spec });
  };

  it("creates no grant until the organization exists, and shows why", async () => {
    await beginWithOrganizations();
    await world.create(configMaps, configMap("acme", { plan: "5", parent: "acme" }));
    await world.eventually(async () =>
      expect(await parent()).toMatch(
        /^False ParentContextUnresolved: .*ConfigMap "default\/acme": spec.target.parentContext: Organization "acme" does not exist/,
      ),
    );
    expect(await shown(world, "grant", "plans")).toMatch(/^False ValidationFailed/);
    await world.pass(60_000);
    expect(await grants()).toEqual([]);
    await world.create(organizations as ResourceType, acme);
    await become(["root/default/acme: 5"]);
    await world.eventually(async () => expect(await parent()).toMatch(/^True ParentContextResolved/));
    expect(await shown(world, "grant", "plans")).toMatch(/^True PolicyReady/);
  });

  it("keeps the grant when the organization is deleted, and shows that", async () => {
    await beginWithOrganizations();
    await world.eventually(() => world.create(organizations as ResourceType, acme).then(() => undefined));
    await world.create(configMaps, configMap("acme", { plan: "5", parent: "acme" }));
    await become(["root/default/acme: 5"]);
    await world.delete(organizations as ResourceType, "acme");
    await world.eventually(async () => expect(await parent()).toMatch(/^False ParentContextUnresolved/));
    expect(await grants()).toEqual(["root/default/acme: 5"]);
  });
});

describe("a control plane that does not answer at all", () => {
  it("gets few concurrent requests and does not delay other planes", async () => {
    await begin("a", "b");
    start();
    const created = grantPolicy("plans") as { spec: { target: Json } };
    const nameExpression = "trigger.data.project";
    const parentContext = { apiGroup: organization.apiGroup, kind: "Project", nameExpression };
    const target = { ...created.spec.target, parentContext };
    let requested = 0;
    world.intercept = (call) => {
      if (call.method !== "POST" || !call.path.startsWith("/planes/a/")) return undefined;
      requested += 1;
      return new Promise(() => undefined);
    };
    for (let at = 0; at < 40; at += 1) {
      await world.create(configMaps, configMap(`dead-${at}`, { plan: "1", project: "a" }));
    }
    await world.create(grantPoliciesType, { ...created, spec: { ...created.spec, target } });
    await world.pass(60_000);
    expect(requested).toBeLessThan(25); // without backoff, each of the forty would have been retried
    await world.create(configMaps, configMap("living", { plan: "1", project: "b" }));
    await world.eventually(async () => expect(await grants("b")).toEqual(["b/default/living: 1"]), 100);
    world.intercept = () => undefined;
    await world.eventually(async () => expect(await grants("a")).toHaveLength(40), 2_000);
  });
});

describe("policies of several control planes", () => {
  it("apply to their own plane, and those of the root plane to all", async () => {
    await begin("a", "b");
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"), "a");
    for (const plane of ["root", "a", "b"]) await plan("acme", "1", plane);
    await become(["a/default/acme: 1"], "a", "b");
    // A policy of the same name in the root plane creates its own grants.
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await become(["a/default/acme: 1", "a/default/acme: 1", "b/default/acme: 1", "root/default/acme: 1"], "a", "b");
    await world.patch(grantPoliciesType, "plans", { spec: { trigger: { constraints: [{ expression: "false" }] } } });
    await become(["a/default/acme: 1"], "a", "b");
  });

  it("cannot create grants in other planes", async () => {
    await begin("a", "b");
    start();
    const created = grantPolicy("plans") as { spec: { target: Json } };
    const parentContext = { apiGroup: organization.apiGroup, kind: "Project", nameExpression: '"b"' };
    const spec = { ...created.spec, target: { ...created.spec.target, parentContext } };
    await world.create(grantPoliciesType, { ...created, spec }, "a");
    await plan("acme", "1", "a");
    await world.eventually(async () => {
      const at = { plane: "a" };
      expect(await shown(world, "grant", "plans", at)).toMatch(/^False ValidationFailed: spec.target.parentContext/);
      expect(await shown(world, "grant", "plans", { ...at, type: "ParentContextReady" })).toMatch(/^False/);
    });
    await world.pass(5_000);
    expect(await grants("a", "b")).toEqual([]);
  });
});

describe("while the server does not answer", () => {
  const readsOf = (plural: string) => (path: string) => path.includes(`/${plural}/`);
  const silent: Record<string, (path: string) => boolean> = {
    "reads of objects": readsOf("configmaps"),
    "reads of policies": readsOf("grantcreationpolicies"),
    discovery: (path) => path === "/api",
  };
  for (const [name, isSilent] of Object.entries(silent)) {
    it(`${name}, the engine deletes nothing`, async () => {
      await begin("a");
      const engine = start();
      const parentContext = { apiGroup: organization.apiGroup, kind: "Project", nameExpression: '"a"' };
      const created = grantPolicy("plans") as { spec: { target: Json } };
      await world.create(grantPoliciesType, {
        ...created,
        spec: { ...created.spec, target: { ...created.spec.target, parentContext } },
      });
      await plan("acme", "5");
      await become(["a/default/acme: 5"], "a");
      await engine.stop();
      await remove("acme");
      world.intercept = (call) => {
        if (call.method === "GET" && isSilent(call.path)) throw new Error("no route");
      };
      await world.pass(31_000); // discovery has expired by then
      start();
      await world.pass(60_000);
      world.intercept = () => undefined;
      expect(await grants("a")).toEqual(["a/default/acme: 5"]);
      await become([], "a");
    });
  }
});

describe("an engine with an incomplete watch", () => {
  /** A watch without any objects. */
  const blind = (): Runtime => {
    const { runtime } = world;
    const everywhere = (type: ResourceType): ListerWatcher => ({
      ...runtime.planes.everywhere(type),
      watch: (_, sink, ends) => {
        const annotations = { "k8s.io/initial-events-end": "true" };
        const object = { kind: "ConfigMap", apiVersion: "v1", metadata: { resourceVersion: "1", annotations } };
        sink.onOpened();
        sink.onLine(JSON.stringify({ type: "BOOKMARK", object }));
        return new Promise((_resolve, reject) => ends.addEventListener("abort", () => reject(ends.reason)));
      },
    });
    return { ...runtime, planes: { ...runtime.planes, everywhere } };
  };

  it("checks with the server before it deletes a grant", async () => {
    await begin();
    const engine = start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    await plan("acme", "5");
    await plan("broken", "1");
    await plan("gone", "1");
    const all = ["root/default/acme: 5", "root/default/broken: 1", "root/default/gone: 1"];
    await become(all);
    await engine.stop();
    await change("broken", { data: { plan: "lots" } });
    await change("gone", { data: { plan: null } });
    start(blind());
    await become(all.slice(0, 2));
    await world.pass(30_000);
    expect(await grants()).toEqual(all.slice(0, 2));
  });
});

describe("an engine whose grants are changed by another controller", () => {
  it("limits its rate of writes", async () => {
    await begin();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    let deleted = 0;
    const stop = world.views.grants.subscribe({
      onAdd: ({ name }) => {
        deleted += 1;
        void world.delete(grantsType, name);
      },
    });
    await plan("acme", "5");
    await world.pass(60_000);
    stop();
    expect(deleted).toBeGreaterThan(5);
    expect(deleted).toBeLessThan(15);
    await become(["root/default/acme: 5"]);
  });
});

describe("an engine at its start", () => {
  it("reads no single objects if all grants are right", async () => {
    await begin();
    const engine = start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    for (let at = 1; at <= 5; at += 1) await plan(`org-${at}`, "1");
    await world.eventually(async () => expect(await grants()).toHaveLength(5));
    await engine.stop();
    const calls: string[] = [];
    world.intercept = ({ method, path }) => void calls.push(`${method} ${path}`);
    start();
    await world.pass(10_000);
    expect(calls.filter((call) => !/^GET \/apis?$/.test(call))).toEqual([]);
  });
});

describe("two concurrent engines", () => {
  it("converge and stop writing", async () => {
    await begin();
    start();
    start();
    await world.create(grantPoliciesType, grantPolicy("plans"));
    for (let at = 1; at <= 5; at += 1) await plan(`org-${at}`, "1");
    await become([1, 2, 3, 4, 5].map((at) => `root/default/org-${at}: 1`));
    await change("org-1", { data: { plan: "2" } });
    await remove("org-2");
    await become(["root/default/org-1: 2", ...[3, 4, 5].map((at) => `root/default/org-${at}: 1`)]);
    await world.pass(10_000);
    world.writes.length = 0;
    await world.pass(60_000);
    expect(world.writes).toEqual([]);
  });
});
