// Breaks an enforced policy in the ways that people do, and checks that it never stops enforcing silently.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quota } from "../tenancy/tenant-world.ts";
import type { ApiResponse } from "./api-client.ts";
import { claimPolicies, expectQuotaRejection, ProgramWorld } from "./program-world.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const policyPath = `${claimPolicies}/maps`;
const registrationPath = `${quota}/resourceregistrations/maps`;
const mapsPath = "/api/v1/namespaces/team/configmaps";

const registration = {
  apiVersion,
  kind: "ResourceRegistration",
  metadata: { name: "maps" },
  spec: {
    resourceType: "core/configmaps",
    type: "Entity",
    baseUnit: "map",
    consumerType: { apiGroup: "", kind: "Namespace" },
    claimingResources: [{ kind: "ConfigMap" }],
  },
};

const grant = {
  apiVersion,
  kind: "ResourceGrant",
  metadata: { name: "maps", namespace: "team" },
  spec: {
    consumerRef: { kind: "Namespace", name: "team" },
    allowances: [{ resourceType: "core/configmaps", buckets: [{ amount: 2 }] }],
  },
};

const policy = (resourceType = "core/configmaps", more: object = {}) => ({
  apiVersion,
  kind: "ClaimCreationPolicy",
  metadata: { name: "maps" },
  spec: {
    trigger: {
      resource: { apiVersion: "v1", kind: "ConfigMap" },
      constraints: [{ expression: 'trigger.metadata.namespace == "team"' }],
    },
    target: {
      resourceClaimTemplate: {
        spec: { consumerRef: { kind: "Namespace", name: "team" }, requests: [{ resourceType, amount: 1 }] },
      },
    },
    ...more,
  },
});

let world: ProgramWorld;

const isEnforced =
  (reason: string) =>
  ({ metadata, status }: ApiResponse["body"]): boolean =>
    status?.observedGeneration === metadata.generation &&
    status.conditions.some((each: ApiResponse["body"]) => each.type === "Enforced" && each.reason === reason);
const untilEnforced = (reason: string) => world.admin.until(policyPath, isEnforced(reason));
const create = (name: string): Promise<ApiResponse> => world.admin.create(mapsPath, { metadata: { name } });
const usedUp = [
  "core/configmaps",
  'core/configmaps for Namespace "team": requested 1 map, limit 2, allocated 2, reserved 0, available 0',
] as const;

async function expectMisconfigured(name: string, problem: string): Promise<void> {
  const { code, body } = await create(name);
  expect([code, body.details.causes[0].reason]).toEqual([500, "QuotaMisconfigured"]);
  expect(body.message).toContain(`ClaimCreationPolicy "maps" is not ready: ${problem}`);
}

const problem = "spec.target.resourceClaimTemplate.spec.requests[0].resourceType";

beforeAll(async () => {
  world = await ProgramWorld.build(/^ClaimCreationPolicy maps in root: /);
  await world.start();
  await world.expectSuccess(world.admin.create("/api/v1/namespaces", { metadata: { name: "team" } }));
  await world.expectSuccess(world.admin.apply(registrationPath, registration));
  await world.expectSuccess(world.admin.apply(`${quota}/namespaces/team/resourcegrants/maps`, grant));
  await world.expectSuccess(world.admin.apply(policyPath, policy()));
  await untilEnforced("PolicyEnforced");
  await world.shows("team", "", { "core/configmaps": [2, 0, 0, 2] });
}, 60_000);

afterAll(() => world.remove());

describe("an enforced policy", () => {
  it("rejects what it matches after its registration was deleted, and admits nothing unchecked", async () => {
    await world.expectSuccess(create("one"));
    const answer = await world.expectSuccess(world.admin.remove(registrationPath));
    expect(answer.warning).toContain("is rejected until the type is registered again");
    await untilEnforced("PolicyBroken");
    await expectMisconfigured("two", problem);
    await world.expectSuccess(world.admin.create("/api/v1/namespaces/default/configmaps", { metadata: { name: "x" } }));
  });

  it("allows to remove finalizers and labels of objects meanwhile", async () => {
    await world.expectSuccess(world.admin.merge(`${mapsPath}/one`, { metadata: { finalizers: ["example.com/f"] } }));
    await world.expectSuccess(world.admin.merge(`${mapsPath}/one`, { metadata: { finalizers: null } }));
  });

  it("tells what is wrong: condition, event, doctor and metric", async () => {
    const { status } = (await world.admin.get(policyPath)).body;
    expect(status.conditions).toMatchObject([
      { type: "Ready", status: "False", message: expect.stringContaining("no ResourceRegistration") },
      { type: "Enforced", status: "True", message: expect.stringContaining("are rejected as misconfigured") },
      { type: "TypeChecked", status: "True" },
    ]);
    const { stdout, code } = await world.command("doctor");
    expect(code).toBe(1);
    expect(stdout).toContain("ClaimCreationPolicy maps: ValidationFailed");
    const events = (await world.admin.get("/api/v1/namespaces/default/events")).body.items;
    expect(events.map(({ reason }: ApiResponse["body"]) => reason)).toContain("PolicyBroken");
    const metrics = (await world.admin.get("/metrics")).text;
    expect(metrics).toMatch(/milo_quota_claim_policy_status_condition\{[^}]*reason="PolicyBroken"[^}]*\} 1/);
  });

  it("does so after a restart as well", async () => {
    await world.stop();
    await world.start();
    await expectMisconfigured("two", problem);
  });

  it("keeps its kind among those that may claim", async () => {
    await world.expectSuccess(world.admin.apply(registrationPath, registration));
    await untilEnforced("PolicyEnforced");
    const { code, body } = await world.admin.merge(registrationPath, {
      spec: { claimingResources: [{ kind: "Secret" }] },
    });
    expect(code).toBe(422);
    expect(body.message).toContain('ConfigMap cannot be removed while ClaimCreationPolicy "maps" claims for it');
    await world.expectSuccess(world.admin.remove(registrationPath));
    await untilEnforced("PolicyBroken");
  });

  it("decides again as soon as the registration is back, with nothing uncounted", async () => {
    await world.expectSuccess(world.admin.apply(registrationPath, registration));
    await untilEnforced("PolicyEnforced");
    await world.shows("team", "", { "core/configmaps": [2, 1, 0, 1] });
    await world.expectSuccess(create("two"));
    expectQuotaRejection(await create("three"), usedUp);
  });

  it("rejects by its earlier generation while an edit is not ready, after a restart as well", async () => {
    const answer = await world.expectSuccess(world.admin.apply(policyPath, policy("core/typo")));
    expect(answer.warning).toContain("not in effect yet");
    await untilEnforced("EarlierGenerationEnforced");
    expectQuotaRejection(await create("three"), usedUp);
    await world.stop();
    await world.start();
    expectQuotaRejection(await create("three"), usedUp);
    await world.expectSuccess(world.admin.apply(policyPath, policy()));
    await untilEnforced("PolicyEnforced");
  });

  it("admits with a warning what a broken policy with failurePolicy Ignore matches, and counts it later", async () => {
    await world.expectSuccess(world.admin.apply(policyPath, policy(undefined, { failurePolicy: "Ignore" })));
    await untilEnforced("PolicyEnforced");
    await world.expectSuccess(world.admin.remove(registrationPath));
    await untilEnforced("PolicyBroken");
    expect((await world.expectSuccess(create("ignored"))).warning).toContain("quota is not checked");
    await world.expectSuccess(world.admin.apply(registrationPath, registration));
    await untilEnforced("PolicyEnforced");
    await world.shows("team", "", { "core/configmaps": [2, 3, 0, 0] });
  });

  it("ends its enforcement with a warning when it is disabled or deleted", async () => {
    const disabled = await world.admin.merge(policyPath, { spec: { disabled: true } });
    expect(disabled.warning).toContain("disabling this policy ends its enforcement");
    expect(disabled.warning).toContain("the 3 claims of its objects stay");
    await untilEnforced("PolicyDisabled");
    await world.expectSuccess(create("unlimited"));
    await world.expectSuccess(world.admin.merge(policyPath, { spec: { disabled: null } }));
    await untilEnforced("PolicyEnforced");
    expect((await world.admin.remove(policyPath)).warning).toContain("deleting this policy ends its enforcement");
  });
});
