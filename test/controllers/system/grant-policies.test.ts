import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { claimsType, grantPoliciesType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  claim,
  cpu,
  grantPolicy,
  organization,
  project,
  projectsType,
  registration,
  tenant,
  typeOf,
} from "./manifests.ts";
import { conditionOf, type Json, TestSystem } from "./test-system.ts";

const web = project("web");
const inWeb = { plane: "web" };

let system: TestSystem;
let projects: ResourceType;
let organizations: ResourceType;

beforeEach(async () => {
  system = await TestSystem.start({ projects: ["web", "shop"] });
  projects = await system.define("Project", "projects");
  organizations = await system.define("Organization", "organizations");
  await system.create(registrationsType, registration(cpu, { type: "Allocation", consumerType: typeOf(web) }));
  await system.create(registrationsType, registration(projectsType));
});

afterEach(async () => {
  await system.stop();
});

const limitIs = (name: string, limit: number | undefined): Promise<void> =>
  system.eventually(async () => expect((await system.figures(project(name), cpu))?.["limit"]).toBe(limit));
const isReady = (name: string, reason: string): Promise<void> =>
  system.eventually(async () => {
    const policy = await system.find(grantPoliciesType, name);
    expect(conditionOf(policy, "Ready")?.reason).toBe(reason);
  });
const setTier = (name: string, tier: string): Promise<Json> => system.patch(projects, name, { spec: { tier } });

describe("a grant policy across planes", () => {
  it("grants in the control plane of its object while its conditions hold", async () => {
    await system.create(projects, tenant("Project", "web", { tier: "premium" }));
    await system.create(projects, tenant("Project", "shop", { tier: "basic" }));
    await system.create(grantPoliciesType, grantPolicy("premium"));
    await isReady("premium", "PolicyReady");
    await limitIs("web", 10_000);
    expect(await system.list(grantsType, { plane: "shop" })).toEqual([]);
    expect(await system.list(grantsType)).toEqual([]);
    const [created] = (await system.list(grantsType, inWeb)) as [{ metadata: { labels: Json } }];
    expect(created.metadata.labels).toMatchObject({
      "quota.miloapis.com/auto-created": "true",
      "quota.miloapis.com/policy": "premium",
    });
    await setTier("web", "basic");
    await setTier("shop", "premium");
    await limitIs("web", undefined);
    await limitIs("shop", 10_000);
    expect(await system.list(grantsType, inWeb)).toEqual([]);
    await setTier("web", "premium");
    await limitIs("web", 10_000);
    expect(system.reported).toEqual([]);
  });

  it("deletes its grants while claims stay granted, and claims by hand end with their consumer", async () => {
    await system.create(grantPoliciesType, grantPolicy("premium"));
    await system.create(projects, tenant("Project", "web", { tier: "premium" }));
    await limitIs("web", 10_000);
    await system.create(claimsType, claim("used", web, [{ resourceType: cpu, amount: 4_000 }]), inWeb);
    await system.eventually(async () => expect(await system.answer("used", inWeb)).toBe("True QuotaAvailable"));
    await setTier("web", "basic");
    await system.eventually(async () => expect(await system.list(grantsType, inWeb)).toEqual([]));
    await system.eventually(async () =>
      expect(await system.figures(web, cpu)).toMatchObject({ limit: 0, allocated: 4_000, overage: 4_000 }),
    );
    expect(await system.answer("used", inWeb)).toBe("True QuotaAvailable");
    await system.delete(projects, "web");
    await system.eventually(async () => expect(await system.list(claimsType, inWeb)).toEqual([]));
    await system.eventually(async () => expect(await system.figures(web, cpu)).toBeUndefined());
  });

  it("leaves its grants when it is disabled or deleted, and takes them up again when it is enabled", async () => {
    for (const name of ["web", "shop"]) await system.create(projects, tenant("Project", name, { tier: "premium" }));
    await system.create(grantPoliciesType, grantPolicy("premium"));
    await limitIs("web", 10_000);
    await limitIs("shop", 10_000);
    await system.patch(grantPoliciesType, "premium", { spec: { disabled: true } });
    await isReady("premium", "PolicyDisabled");
    await system.patch(projects, "shop", { spec: { tier: "basic" } });
    await system.pass(20_000);
    await limitIs("web", 10_000);
    await limitIs("shop", 10_000);
    await system.patch(grantPoliciesType, "premium", { spec: { disabled: null, enabled: true } });
    await isReady("premium", "PolicyReady");
    await limitIs("web", 10_000);
    await limitIs("shop", undefined);
    await system.delete(grantPoliciesType, "premium");
    await system.pass(20_000);
    await limitIs("web", 10_000);
  });

  it("updates its grants when it changes and after foreign changes", async () => {
    await system.create(projects, tenant("Project", "web", { tier: "premium", cores: 3 }));
    await system.create(grantPoliciesType, grantPolicy("premium"));
    await limitIs("web", 10_000);
    const policy = grantPolicy("premium")["spec"] as { target: { resourceGrantTemplate: { spec: Json } } };
    const buckets = [{ amountExpression: "trigger.spec.cores * 1000" }];
    const spec = { ...policy.target.resourceGrantTemplate.spec, allowances: [{ resourceType: cpu, buckets }] };
    await system.patch(grantPoliciesType, "premium", { spec: { target: { resourceGrantTemplate: { spec } } } });
    await limitIs("web", 3_000);
    await system.patch(projects, "web", { spec: { cores: 5 } });
    await limitIs("web", 5_000);
    const [created] = (await system.list(grantsType, inWeb)) as [{ metadata: { name: string } }];
    await system.delete(grantsType, created.metadata.name, inWeb);
    await system.pass(1_000);
    await limitIs("web", 5_000);
  });
});

describe("a grant policy within a plane", () => {
  const forOrganizations = (trigger: Json, spec: Json = {}): Json => {
    const created = grantPolicy("start", {
      trigger: { resource: { apiVersion: "resourcemanager.miloapis.com/v1alpha1", kind: "Organization" }, ...trigger },
      template: {
        spec: {
          consumerRef: { ...typeOf(organization), name: "{{ trigger.metadata.name }}" },
          allowances: [{ resourceType: projectsType, buckets: [{ amount: 3 }] }],
        },
      },
    });
    const { parentContext: _, ...target } = (created["spec"] as { target: Json }).target;
    return { ...created, spec: { ...(created["spec"] as Json), target, ...spec } };
  };

  const spellings: Record<string, Json> = {
    "the usual spelling": forOrganizations({ constraints: [{ expression: "trigger.spec.type == 'Business'" }] }),
    "the other spelling": (() => {
      const created = forOrganizations(
        { conditions: [{ expression: "object.spec.type == 'Business'" }] },
        { enabled: true },
      );
      const spec = created["spec"] as { trigger: Json; target: { resourceGrantTemplate: { spec: Json } } };
      const { constraints: _, ...trigger } = spec.trigger;
      const template = spec.target.resourceGrantTemplate;
      const consumerRef = { ...typeOf(organization), name: "{{.trigger.metadata.name}}" };
      const target = { resourceGrantTemplate: { ...template, spec: { ...template.spec, consumerRef } } };
      return { ...created, spec: { ...spec, trigger, target } };
    })(),
  };

  for (const [spelling, policy] of Object.entries(spellings)) {
    it(`grants an organization its first projects, in ${spelling}`, async () => {
      await system.create(grantPoliciesType, policy);
      await isReady("start", "PolicyReady");
      await system.create(organizations, tenant("Organization", "acme", { type: "Business" }));
      await system.create(organizations, tenant("Organization", "hobby", { type: "Personal" }));
      await system.eventually(async () =>
        expect(await system.figures(organization, projectsType)).toMatchObject({ limit: 3, available: 3 }),
      );
      expect(await system.list(grantsType)).toHaveLength(1);
      const [created] = (await system.list(grantsType)) as [{ metadata: { ownerReferences?: Json[] } }];
      expect(created.metadata.ownerReferences).toMatchObject([
        { kind: "Organization", name: "acme", controller: true },
      ]);
      const stored = (await system.find(grantPoliciesType, "start")) as { spec: Json; status: Json };
      expect(stored.spec).toEqual(policy["spec"]);
      expect(stored.status["enabled"]).toBe(true);
      await system.delete(organizations, "acme");
      await system.eventually(async () => expect(await system.figures(organization, projectsType)).toBeUndefined());
    });
  }

  it("applies only to its own plane if that is not the root plane", async () => {
    const policy = forOrganizations({ constraints: [] });
    await system.create(grantPoliciesType, policy, inWeb);
    await system.create(organizations, tenant("Organization", "acme"), inWeb);
    await system.create(organizations, tenant("Organization", "acme"));
    await system.eventually(async () => expect(await system.list(grantsType, inWeb)).toHaveLength(1));
    await system.pass(5_000);
    expect(await system.list(grantsType)).toEqual([]);
  });
});
