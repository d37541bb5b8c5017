import { ClaimPolicyReadiness } from "@milo-quota/quota/controllers/policies/claim-policy-readiness.ts";
import { GrantPolicyReadiness } from "@milo-quota/quota/controllers/policies/grant-policy-readiness.ts";
import { ParentContexts } from "@milo-quota/quota/controllers/policies/parent-contexts.ts";
import { ClaimPolicyCache } from "@milo-quota/quota/views/claim-policy-cache.ts";
import { GrantPolicyCache } from "@milo-quota/quota/views/grant-policy-cache.ts";
import { claimPoliciesType, grantPoliciesType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { TriggerSchemas } from "@milo-quota/quota/views/trigger-schemas.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { definitions, widgetDefinition } from "../../api-client/kinds.ts";
import { organization, type QuotaWorld } from "../grants/quota-world.ts";
import {
  activate,
  claimPolicy,
  grantPolicy,
  type Json,
  register,
  shown,
  signal,
  startPolicyWorld,
} from "./policy-world.ts";

let world: QuotaWorld;
let claims: ClaimPolicyCache;
let events: string[];
const configMapKind = { apiGroup: "", kind: "ConfigMap" };
const claiming = { claimingResources: [configMapKind] };

beforeEach(async () => {
  const { world: created, restMapper, owned } = await startPolicyWorld(["root", "a"]);
  world = created;
  const { views } = world;
  const runtime = owned(["a"]);
  claims = new ClaimPolicyCache(runtime.planes, views.claimPolicies, views.registrationIndex);
  const grants = new GrantPolicyCache(runtime.planes, views.grantPolicies, views.registrationIndex);
  events = [];
  const recorder = {
    record: (_: string, subject: { name: string }, { type, reason }: { type: string; reason: string }) => {
      events.push(`${type} ${reason} ${subject.name}`);
    },
  };
  world.run(
    new ClaimPolicyReadiness({
      runtime,
      policies: claims,
      restMapper,
      enforcement: "Enforce",
      events: recorder,
      schemas: new TriggerSchemas(runtime),
    }),
  );
  world.run(new GrantPolicyReadiness({ runtime, policies: grants, restMapper, parents: new ParentContexts() }));
});

afterEach(() => world.stop());

const expectCondition = (
  kind: "claim" | "grant",
  expected: RegExp | string,
  at: { type?: string; plane?: string } = {},
) =>
  world.eventually(async () => {
    const found = await shown(world, kind, "p", at);
    if (typeof expected === "string") expect(found).toBe(expected);
    else expect(found).toMatch(expected);
  });

const ready = "True PolicyReady: The policy is ready";

describe("a claim policy", () => {
  it("is ready only while its resource types are registered", async () => {
    await world.create(claimPoliciesType, claimPolicy("p"));
    await expectCondition("claim", /^False ValidationFailed: .*requests\[0\].resourceType: .*no ResourceRegistration/);
    await register(world, "projects");
    await expectCondition("claim", /^False ValidationFailed: .*ConfigMap may not claim "projects"/);
    await world.patch(registrationsType, "projects", { spec: claiming });
    await expectCondition("claim", ready);
    await activate(world, "projects", "False");
    await expectCondition("claim", /^False ValidationFailed: .*is not Active/);
    await activate(world, "projects");
    await expectCondition("claim", ready);
    await world.delete(registrationsType, "projects");
    await expectCondition("claim", /no ResourceRegistration/);
  });

  it("reports all errors at once", async () => {
    await register(world, "projects", claiming);
    const spec = {
      trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" }, constraints: [{ expression: "trigger.data +" }] },
    };
    const requests = [
      { resourceType: "projects", amountExpression: "unknown.field" },
      { resourceType: "secrets", amount: 1 },
      { resourceType: "projects", amount: 1, dimensions: { zone: "x" } },
    ];
    await world.create(claimPoliciesType, claimPolicy("p", spec, { requests }));
    await expectCondition("claim", /^False ValidationFailed/);
    const message = await shown(world, "claim", "p");
    for (const path of [
      "constraints[0].expression",
      "requests[0].amountExpression",
      "requests[1].resourceType",
      "zone",
    ]) {
      expect(message).toContain(path);
    }
  });

  it("reports that it is disabled, for both spellings", async () => {
    await register(world, "projects", claiming);
    const status = async () => (await world.find(claimPoliciesType, "p"))?.["status"] as Json;
    await world.create(claimPoliciesType, claimPolicy("p", { enabled: false }));
    await expectCondition("claim", "False PolicyDisabled: The policy is disabled");
    expect(await status()).toMatchObject({ enabled: false, observedGeneration: 1 });
    await world.patch(claimPoliciesType, "p", { spec: { enabled: true } });
    await expectCondition("claim", ready);
    expect(await status()).toMatchObject({ enabled: true, observedGeneration: 2 });
    await world.patch(claimPoliciesType, "p", { spec: { enabled: null, disabled: true } });
    await expectCondition("claim", /^False PolicyDisabled/);
  });

  it("warns of an unknown kind until it is served", async () => {
    const { group, names } = widgetDefinition.spec;
    await register(world, "projects", { claimingResources: [{ apiGroup: group, kind: names.kind }] });
    const spec = { trigger: { resource: { apiVersion: `${group}/v1`, kind: names.kind } } };
    await world.create(claimPoliciesType, claimPolicy("p", spec));
    await expectCondition("claim", /^True PolicyReady: .*warning: .*Widget.client.example.com/);
    await world.create(definitions, widgetDefinition);
    await world.pass(60_000); // it is checked once a minute
    await expectCondition("claim", ready);
  });

  it("needs a consumer in planes without a tenant", async () => {
    await register(world, "secrets", { ...claiming, consumerType: { ...organization, kind: "Project" } });
    for (const plane of ["root", "a"]) {
      const requests = [{ resourceType: "secrets", amount: 1 }];
      await world.create(claimPoliciesType, claimPolicy("p", {}, { consumerRef: undefined, requests }), plane);
    }
    await expectCondition(
      "claim",
      /^False ValidationFailed: .*consumerRef: Required value: no ConfigMap .* belongs to a project/,
    );
    await expectCondition("claim", ready, { plane: "a" });
  });

  it("needs a consumer if the tenant has another kind than the registered consumer", async () => {
    await register(world, "projects", claiming);
    await world.create(claimPoliciesType, claimPolicy("p", {}, { consumerRef: undefined }), "a");
    await expectCondition(
      "claim",
      /Required value: the default is Project.*, but the consumer of the requested quota is Organization/,
      {
        plane: "a",
      },
    );
  });

  it("keeps foreign status fields and the transition time of its condition", async () => {
    await register(world, "projects", claiming);
    await world.create(claimPoliciesType, claimPolicy("p"));
    await expectCondition("claim", ready);
    const before = (await world.find(claimPoliciesType, "p"))?.["status"] as { conditions: Json[] };
    await world
      .resource(claimPoliciesType)
      .patch(
        { name: "p" },
        { type: "merge", body: { status: { existingObjectCount: 7 } } },
        { subresource: "status" },
        signal,
      );
    await world.pass(10_000);
    await world.patch(claimPoliciesType, "p", { spec: { mode: "Shadow" } });
    await world.eventually(async () => {
      const status = (await world.find(claimPoliciesType, "p"))?.["status"] as { conditions: Json[] };
      expect(status).toMatchObject({ existingObjectCount: 7, observedGeneration: 2 });
      expect(status.conditions[0]?.["lastTransitionTime"]).toBe(before.conditions[0]?.["lastTransitionTime"]);
    });
    world.writes.length = 0;
    await world.pass(120_000);
    expect(world.writes).toEqual([]);
  });
});

describe("an enforced claim policy", () => {
  const widgets = { requests: [{ resourceType: "widgets", amount: 1 }] };
  const enforced = async () => {
    const { status } = (await world.find(claimPoliciesType, "p")) as { status: { enforced?: Json } };
    return status.enforced;
  };
  const deciding = () => claims.policiesFor(configMapKind, "root").map(({ policy }) => policy.metadata.generation);
  const expectEnforced = (expected: RegExp) => expectCondition("claim", expected, { type: "Enforced" });

  it("stays enforced when another object breaks it, and again decides as before when that is fixed", async () => {
    await register(world, "projects", claiming);
    await world.create(claimPoliciesType, claimPolicy("p"));
    await expectEnforced(/^True PolicyEnforced: Generation 1 decides$/);
    const since = (await enforced())?.["since"];
    await world.pass(60_000);
    await world.delete(registrationsType, "projects");
    await expectEnforced(/^True PolicyBroken: Objects that the policy matches are rejected as misconfigured until/);
    await expectCondition("claim", /^False ValidationFailed: .*no ResourceRegistration/);
    expect(deciding()).toEqual([1]);
    await register(world, "projects", claiming);
    await expectEnforced(/^True PolicyEnforced/);
    expect(await enforced()).toMatchObject({ generation: 1, since });
    expect(events).toEqual(["Warning PolicyBroken p", "Normal PolicyEnforced p"]);
  });

  it("decides by its earlier generation until an edit is ready", async () => {
    await register(world, "projects", claiming);
    await world.create(claimPoliciesType, claimPolicy("p"));
    await expectEnforced(/^True PolicyEnforced/);
    await world.patch(claimPoliciesType, "p", { spec: { target: { resourceClaimTemplate: { spec: widgets } } } });
    await expectEnforced(/^True EarlierGenerationEnforced: Generation 1 decides until generation 2 is ready/);
    expect(deciding()).toEqual([1]);
    await register(world, "widgets", claiming);
    await expectEnforced(/^True PolicyEnforced: Generation 2 decides/);
    expect(deciding()).toEqual([2]);
    expect(events).toEqual(["Warning EarlierGenerationEnforced p", "Normal PolicyEnforced p"]);
  });

  it("begins anew with another trigger, and after it was disabled", async () => {
    await register(world, "projects", claiming);
    await world.create(claimPoliciesType, claimPolicy("p"));
    await expectEnforced(/^True PolicyEnforced: Generation 1/);
    const since = (await enforced())?.["since"];
    await world.pass(60_000);
    await world.patch(claimPoliciesType, "p", { spec: { mode: "Shadow" } });
    await expectEnforced(/^True PolicyEnforced: Generation 2 decides; in mode Shadow it warns, and rejects nothing/);
    expect(await enforced()).toMatchObject({ generation: 2, since });
    const constraints = [{ expression: 'trigger.metadata.name == "a"' }];
    await world.patch(claimPoliciesType, "p", { spec: { trigger: { constraints } } });
    await expectEnforced(/^True PolicyEnforced: Generation 3/);
    const later = (await enforced())?.["since"] as string;
    expect(later > String(since)).toBe(true);
    await world.patch(claimPoliciesType, "p", { spec: { disabled: true } });
    await expectEnforced(/^False PolicyDisabled/);
    expect(await enforced()).toBeUndefined();
    await world.pass(60_000);
    await world.patch(claimPoliciesType, "p", { spec: { disabled: false } });
    await expectEnforced(/^True PolicyEnforced: Generation 5/);
    expect(String((await enforced())?.["since"]) > later).toBe(true);
    expect(events).toEqual(["Normal PolicyDisabled p", "Normal PolicyEnforced p"]);
  });

  it("is not enforced while it has never been ready", async () => {
    await world.create(claimPoliciesType, claimPolicy("p"));
    await expectEnforced(/^False NotReady: The policy has not been ready yet, so it rejects nothing/);
    expect(await enforced()).toBeUndefined();
    expect(deciding()).toEqual([]);
    expect(events).toEqual([]);
    await world.pass(10_000);
    expect(events).toEqual(["Warning NotReady p"]);
  });
});

describe("the index of claim policies", () => {
  const found = (plane: string) =>
    claims.policiesFor(configMapKind, plane).map((policy) => `${policy.plane}/${policy.policy.metadata.name}`);

  it("has the ready policies by kind and plane with the time since when they are ready", async () => {
    const changes: string[] = [];
    claims.onChange(({ plane, name }) => changes.push(`${plane}/${name}`));
    await register(world, "projects", claiming);
    await world.create(claimPoliciesType, claimPolicy("everywhere"));
    await world.create(claimPoliciesType, claimPolicy("here"), "a");
    await world.create(claimPoliciesType, claimPolicy("off", { disabled: true }));
    await world.eventually(() => {
      expect(found("root")).toEqual(["root/everywhere"]);
      expect(found("a")).toEqual(["root/everywhere", "a/here"]);
      expect(claims.policiesFor({ apiGroup: "apps", kind: "ConfigMap" }, "a")).toEqual([]);
      expect(claims.kinds()).toEqual([configMapKind]);
    });
    await world.eventually(() => {
      const [ready] = claims.policiesFor(configMapKind, "root");
      expect(ready?.enforcedSince).toMatch(/^2026-01-01T/);
    });
    expect(new Set(changes)).toEqual(new Set(["root/everywhere", "a/here", "root/off"]));
    const { compiled } = claims.policiesFor(configMapKind, "root")[0] ?? {};
    await world.patch(claimPoliciesType, "everywhere", { metadata: { labels: { x: "y" } } });
    await world.pass(1_000);
    expect(claims.policiesFor(configMapKind, "root")[0]?.compiled).toBe(compiled);
    await world.delete(claimPoliciesType, "everywhere");
    await world.eventually(() => expect(found("a")).toEqual(["a/here"]));
    await world.resource(claimPoliciesType, "a").delete({ name: "here" }, {}, signal);
    await world.eventually(() => expect(claims.kinds()).toEqual([]));
  });
});

describe("a grant policy", () => {
  it("is ready if its resource types are registered for the consumer's kind", async () => {
    await world.create(grantPoliciesType, grantPolicy("p"));
    await expectCondition("grant", /^False ValidationFailed: .*no ResourceRegistration/);
    await register(world, "projects", { consumerType: { ...organization, kind: "Project" } });
    await expectCondition("grant", /^False ValidationFailed: .*consumerRef/);
    await world.delete(registrationsType, "projects");
    await register(world, "projects");
    await expectCondition("grant", ready);
    expect(await shown(world, "grant", "p", { type: "ParentContextReady" })).toBeUndefined();
  });

  it("reports a parent context whose plane cannot be determined", async () => {
    await register(world, "projects");
    const { spec } = grantPolicy("p") as { spec: { target: Json } };
    const parentContext = { apiGroup: organization.apiGroup, kind: "Project", nameExpression: "trigger." };
    const target = { ...spec.target, parentContext };
    await world.create(grantPoliciesType, grantPolicy("p", { target }));
    await expectCondition("grant", /^False ParentContextUnresolved: .*nameExpression/, { type: "ParentContextReady" });
    await world.patch(grantPoliciesType, "p", { spec: { target: { parentContext: { nameExpression: '"a"' } } } });
    await expectCondition("grant", /^True ParentContextResolved/, { type: "ParentContextReady" });
    await expectCondition("grant", ready);
  });

  it("loses the condition of its parent context with the context", async () => {
    await register(world, "projects");
    const { spec } = grantPolicy("p") as { spec: { target: Json } };
    const parentContext = { apiGroup: organization.apiGroup, kind: "Project", nameExpression: '"a"' };
    await world.create(grantPoliciesType, grantPolicy("p", { target: { ...spec.target, parentContext } }));
    await expectCondition("grant", /^True ParentContextResolved/, { type: "ParentContextReady" });
    await world.patch(grantPoliciesType, "p", { spec: { target: { parentContext: null } } });
    await world.eventually(async () =>
      expect(await shown(world, "grant", "p", { type: "ParentContextReady" })).toBeUndefined(),
    );
  });

  it("cannot have quota kinds as its trigger", async () => {
    await register(world, "projects");
    const resource = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceGrant" };
    await world.create(grantPoliciesType, grantPolicy("p", { trigger: { resource } }));
    await expectCondition("grant", /^False ValidationFailed: spec.trigger.resource.apiVersion/);
  });
});

describe("a policy whose status cannot be written", () => {
  it("does not block other policies", async () => {
    await register(world, "projects", claiming);
    world.intercept = (call) => {
      if (call.method === "PUT" && call.path.includes("/broken/")) throw new Error("no route");
    };
    await world.create(claimPoliciesType, claimPolicy("broken"));
    await world.create(claimPoliciesType, claimPolicy("p"));
    await expectCondition("claim", ready);
    expect(await shown(world, "claim", "broken")).toBeUndefined();
    world.intercept = () => undefined;
    await world.eventually(async () => expect(await shown(world, "claim", "broken")).toBe(ready));
  });
});
