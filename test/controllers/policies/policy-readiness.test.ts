import { ClaimPolicyReadiness } from "@milo-quota/quota/controllers/policies/claim-policy-readiness.ts";
import { GrantPolicyReadiness } from "@milo-quota/quota/controllers/policies/grant-policy-readiness.ts";
import { ParentContexts } from "@milo-quota/quota/controllers/policies/parent-contexts.ts";
import { ClaimPolicyIndex } from "@milo-quota/quota/views/claim-policy-index.ts";
import { GrantPolicyIndex } from "@milo-quota/quota/views/grant-policy-index.ts";
import { claimPoliciesType, grantPoliciesType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
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
let claims: ClaimPolicyIndex;
const configMapKind = { apiGroup: "", kind: "ConfigMap" };
const claiming = { claimingResources: [configMapKind] };

beforeEach(async () => {
  const { world: made, directory, owned } = await startPolicyWorld(["root", "a"]);
  world = made;
  const { views } = world;
  const runtime = owned(["a"]);
  claims = new ClaimPolicyIndex(runtime.planes, views.claimPolicies, views.registrationIndex);
  const grants = new GrantPolicyIndex(runtime.planes, views.grantPolicies, views.registrationIndex);
  world.run(new ClaimPolicyReadiness({ runtime, index: claims, directory, enforcement: "Enforce" }));
  world.run(new GrantPolicyReadiness({ runtime, index: grants, directory, parents: new ParentContexts() }));
});

afterEach(() => world.stop());

const says = (kind: "claim" | "grant", expected: RegExp | string, at: { type?: string; plane?: string } = {}) =>
  world.eventually(async () => {
    const found = await shown(world, kind, "p", at);
    if (typeof expected === "string") expect(found).toBe(expected);
    else expect(found).toMatch(expected);
  });

const atWork = "True PolicyReady: The policy is at work";

describe("a claim policy", () => {
  it("is at work when what it asks for is registered, and only then", async () => {
    await world.create(claimPoliciesType, claimPolicy("p"));
    await says("claim", /^False ValidationFailed: .*requests\[0\].resourceType: .*no ResourceRegistration/);
    await register(world, "projects");
    await says("claim", /^False ValidationFailed: .*ConfigMap may not claim "projects"/);
    await world.patch(registrationsType, "projects", { spec: claiming });
    await says("claim", atWork);
    await activate(world, "projects", "False");
    await says("claim", /^False ValidationFailed: .*is not Active/);
    await activate(world, "projects");
    await says("claim", atWork);
    await world.delete(registrationsType, "projects");
    await says("claim", /no ResourceRegistration/);
  });

  it("tells everything that is wrong with it at once", async () => {
    await register(world, "projects", claiming);
    const spec = {
      trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" }, constraints: [{ expression: "trigger.data +" }] },
    };
    const requests = [
      { resourceType: "projects", amountExpression: "nobody.there" },
      { resourceType: "secrets", amount: 1 },
      { resourceType: "projects", amount: 1, dimensions: { zone: "x" } },
    ];
    await world.create(claimPoliciesType, claimPolicy("p", spec, { requests }));
    await says("claim", /^False ValidationFailed/);
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

  it("says that it is switched off, whichever way that is spelled", async () => {
    await register(world, "projects", claiming);
    const status = async () => (await world.find(claimPoliciesType, "p"))?.["status"] as Json;
    await world.create(claimPoliciesType, claimPolicy("p", { enabled: false }));
    await says("claim", "False PolicyDisabled: The policy is switched off");
    expect(await status()).toMatchObject({ enabled: false, observedGeneration: 1 });
    await world.patch(claimPoliciesType, "p", { spec: { enabled: true } });
    await says("claim", atWork);
    expect(await status()).toMatchObject({ enabled: true, observedGeneration: 2 });
    await world.patch(claimPoliciesType, "p", { spec: { enabled: null, disabled: true } });
    await says("claim", /^False PolicyDisabled/);
  });

  it("warns of a kind that is not there, and no longer when it comes", async () => {
    const { group, names } = widgetDefinition.spec;
    await register(world, "projects", { claimingResources: [{ apiGroup: group, kind: names.kind }] });
    const spec = { trigger: { resource: { apiVersion: `${group}/v1`, kind: names.kind } } };
    await world.create(claimPoliciesType, claimPolicy("p", spec));
    await says("claim", /^True PolicyReady: .*warning: .*Widget.client.example.com/);
    await world.create(definitions, widgetDefinition);
    await world.pass(60_000); // it is looked for once a minute
    await says("claim", atWork);
  });

  it("needs a consumer where objects belong to nobody", async () => {
    await register(world, "secrets", { ...claiming, consumerType: { ...organization, kind: "Project" } });
    for (const plane of ["root", "a"]) {
      const requests = [{ resourceType: "secrets", amount: 1 }];
      await world.create(claimPoliciesType, claimPolicy("p", {}, { consumerRef: undefined, requests }), plane);
    }
    await says("claim", /^False ValidationFailed: .*consumerRef: Required value: no ConfigMap .* belongs to a project/);
    await says("claim", atWork, { plane: "a" });
  });

  it("needs one, too, where those to whom objects belong are not those who use what it asks for", async () => {
    await register(world, "projects", claiming);
    await world.create(claimPoliciesType, claimPolicy("p", {}, { consumerRef: undefined }), "a");
    await says("claim", /Required value: left out, it means Project.*; what is asked for is used by Organization/, {
      plane: "a",
    });
  });

  it("keeps what others wrote into its status, and when its condition last changed", async () => {
    await register(world, "projects", claiming);
    await world.create(claimPoliciesType, claimPolicy("p"));
    await says("claim", atWork);
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

describe("the index of claim policies", () => {
  const found = (plane: string) =>
    claims.policiesFor(configMapKind, plane).map((policy) => `${policy.plane}/${policy.policy.metadata.name}`);

  it("has those at work, by kind and plane, since when they are", async () => {
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
      expect(ready?.readySince).toMatch(/^2026-01-01T/);
    });
    expect(new Set(changes)).toEqual(new Set(["root/everywhere", "a/here", "root/off"]));
    const { compiled } = claims.policiesFor(configMapKind, "root")[0] ?? {};
    await world.patch(claimPoliciesType, "everywhere", { metadata: { labels: { x: "y" } } });
    await world.pass(1_000);
    expect(claims.policiesFor(configMapKind, "root")[0]?.compiled).toBe(compiled);
    await world.delete(claimPoliciesType, "everywhere");
    await world.eventually(() => expect(found("a")).toEqual(["a/here"]));
    await world.delete(registrationsType, "projects");
    await world.eventually(() => expect(claims.kinds()).toEqual([]));
  });
});

describe("a grant policy", () => {
  it("is at work when what it grants is registered for the consumer's kind", async () => {
    await world.create(grantPoliciesType, grantPolicy("p"));
    await says("grant", /^False ValidationFailed: .*no ResourceRegistration/);
    await register(world, "projects", { consumerType: { ...organization, kind: "Project" } });
    await says("grant", /^False ValidationFailed: .*consumerRef/);
    await world.delete(registrationsType, "projects");
    await register(world, "projects");
    await says("grant", atWork);
    await says("grant", /^True ParentContextNotRequired/, { type: "ParentContextReady" });
  });

  it("says when its other control plane cannot be told", async () => {
    await register(world, "projects");
    const { spec } = grantPolicy("p") as { spec: { target: Json } };
    const parentContext = { apiGroup: organization.apiGroup, kind: "Project", nameExpression: "trigger." };
    const target = { ...spec.target, parentContext };
    await world.create(grantPoliciesType, grantPolicy("p", { target }));
    await says("grant", /^False ParentContextUnresolved: .*nameExpression/, { type: "ParentContextReady" });
    await world.patch(grantPoliciesType, "p", { spec: { target: { parentContext: { nameExpression: '"a"' } } } });
    await says("grant", /^True ParentContextResolved/, { type: "ParentContextReady" });
    await says("grant", atWork);
  });

  it("is never about objects of the quota API", async () => {
    await register(world, "projects");
    const resource = { apiVersion: "quota.miloapis.com/v1alpha1", kind: "ResourceGrant" };
    await world.create(grantPoliciesType, grantPolicy("p", { trigger: { resource } }));
    await says("grant", /^False ValidationFailed: spec.trigger.resource.apiVersion/);
  });
});

describe("one policy that cannot be written", () => {
  it("keeps no other from being told of", async () => {
    await register(world, "projects", claiming);
    world.meddle = (call) => {
      if (call.method === "PUT" && call.path.includes("/broken/")) throw new Error("no way there");
    };
    await world.create(claimPoliciesType, claimPolicy("broken"));
    await world.create(claimPoliciesType, claimPolicy("p"));
    await says("claim", atWork);
    expect(await shown(world, "claim", "broken")).toBeUndefined();
    world.meddle = () => undefined;
    await world.eventually(async () => expect(await shown(world, "claim", "broken")).toBe(atWork));
  });
});
