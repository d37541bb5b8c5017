import type { ResourceType } from "@milo-quota/kubernetes/client/resources/resource-type.ts";
import { claimPoliciesType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, project, registration, typeOf } from "./manifests.ts";
import { conditionOf, type Json, statusOf, TestSystem } from "./test-system.ts";

const web = project("web");
const inWeb = { plane: "web" };
const secretsType = "core.example.com/secrets";
const secrets: ResourceType = { group: "", version: "v1", plural: "secrets", scope: "Namespaced" };

let system: TestSystem;

beforeEach(async () => {
  system = await TestSystem.start({ projects: ["web"] });
  const claimingResources = [{ apiGroup: "", kind: "Secret" }];
  await system.create(registrationsType, registration(secretsType, { consumerType: typeOf(web), claimingResources }));
  await system.create(grantsType, grant("base", web, { [secretsType]: 2 }), inWeb);
});

afterEach(async () => {
  expect(system.reported).toEqual([]);
  await system.stop();
});

const make = (name: string, labels: Json = {}): Promise<Json> =>
  system.create(
    secrets,
    { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "default", labels }, data: {} },
    inWeb,
  );
const uses = (figures: Json): Promise<void> =>
  system.eventually(async () => expect(await system.figures(web, secretsType)).toMatchObject(figures));

/** Claims one unit for every secret of a project. */
function policy(spec: Json): Json {
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ClaimCreationPolicy",
    metadata: { name: "secrets" },
    spec: {
      trigger: {
        resource: { apiVersion: "v1", kind: "Secret" },
        constraints: [{ expression: '!("free" in trigger.metadata.labels)' }],
      },
      target: { resourceClaimTemplate: { spec: { requests: [{ resourceType: secretsType, amount: 1 }] } } },
      ...spec,
    },
  };
}

describe("a claim policy that adopts existing objects", () => {
  it("counts all objects, even over the limit, and releases deleted ones", async () => {
    for (const name of ["a", "b", "c"]) await make(name, { tier: "standard" });
    await make("ignored", { free: "yes" });
    // A policy of the root plane applies to all projects, each with its own quota.
    await system.create(claimPoliciesType, policy({ existingObjects: "Adopt" }));
    await uses({ limit: 2, allocated: 3, available: 0, overage: 1, claimCount: 3 });
    const claims = (await system.list(claimsType, inWeb)) as { metadata: { labels: Json; ownerReferences?: Json[] } }[];
    expect(claims).toHaveLength(3);
    for (const { metadata } of claims) {
      expect(metadata.labels).toMatchObject({
        "quota.miloapis.com/auto-created": "true",
        "quota.miloapis.com/policy": "secrets",
        "quota.miloapis.com/gvk": "core.v1.Secret",
      });
      expect(metadata.ownerReferences).toMatchObject([{ kind: "Secret", controller: false }]);
    }
    for (const name of ["a", "b", "c"]) await system.delete(secrets, name, inWeb);
    await uses({ limit: 2, allocated: 0, available: 2, overage: 0, claimCount: 0 });
    expect(await system.list(claimsType, inWeb)).toEqual([]);
  });

  it("does not change manual claims", async () => {
    await system.create(claimPoliciesType, policy({ existingObjects: "Adopt" }), inWeb);
    await system.create(
      claimsType,
      {
        apiVersion: "quota.miloapis.com/v1alpha1",
        kind: "ResourceClaim",
        metadata: { name: "by-hand", namespace: "default" },
        spec: { consumerRef: { ...typeOf(web), name: "web" }, requests: [{ resourceType: secretsType, amount: 1 }] },
      },
      inWeb,
    );
    await uses({ allocated: 1 });
    await system.pass(10 * 60_000);
    expect(await system.answer("by-hand", inWeb)).toBe("True QuotaAvailable");
    await uses({ allocated: 1, claimCount: 1 });
  });
});

describe("a claim policy that does not adopt", () => {
  it("reports the number of existing objects and counts newer ones without a claim", async () => {
    for (const name of ["a", "b", "c"]) await make(name, { tier: "standard" });
    await system.pass(2_000); // creation timestamps have a resolution of seconds
    await system.create(claimPoliciesType, policy({}), inWeb);
    await system.eventually(async () => {
      const found = await system.find(claimPoliciesType, "secrets", inWeb);
      expect(conditionOf(found, "Ready")).toMatchObject({ reason: "PolicyReady" });
      expect(statusOf(found)["existingObjectCount"]).toBe(3);
    });
    await system.pass(5_000);
    await make("d", { tier: "standard" });
    await uses({ limit: 2, allocated: 1, available: 1, claimCount: 1 });
    await system.delete(secrets, "d", inWeb);
    await uses({ allocated: 0, claimCount: 0 });
  });
});
