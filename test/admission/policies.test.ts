import type { AdmissionResult } from "@milo-quota/quota/admission/admission-observer.ts";
import type { Enforcement } from "@milo-quota/quota/core/resources/enforcement.ts";
import { defaultQuotaOptions } from "@milo-quota/quota/core/resources/quota-options.ts";
import { claimPoliciesType, claimsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType, eventsType, namespacesType, shipsDefinition, shipsType } from "./object-types.ts";
import {
  claimsIn,
  configMap,
  configMapKind,
  createPolicy,
  expectUsage,
  type PolicyParts,
  policy,
  registerAndGrant,
  registration,
  ship,
  shipKind,
  waitForPolicy,
} from "./quota-objects.ts";
import { eventually, type Json, signal } from "./test-world.ts";

let world: AdmissionWorld;
let results: [policy: string, result: AdmissionResult][];
let missing: string[];
let rejecting: string | undefined;
/** Delay of claim deletions. */
let deletionMs: number;
const path = "/api/v1/namespaces/default/configmaps";
const created = { code: 201, message: "" };

beforeEach(async () => {
  results = [];
  missing = [];
  rejecting = undefined;
  deletionMs = 0;
  world = await worldWith("Enforce");
});

function worldWith(enforcement: Enforcement): Promise<AdmissionWorld> {
  return AdmissionWorld.start({
    quota: { ...defaultQuotaOptions, enforcement },
    waitMsMax: 60_000,
    observer: {
      onDecided: (of, _, result) => results.push([of.metadata.name ?? "", result]),
      onMissingKey: (of) => missing.push(of.metadata.name ?? ""),
    },
    plugins: [
      {
        name: "another",
        validate: async ({ name, operation, kind }) => {
          if (operation === "DELETE" && kind.kind === "ResourceClaim" && deletionMs > 0) {
            await new Promise((resolve) => setTimeout(resolve, deletionMs));
          }
          return name === rejecting
            ? { allowed: false, status: { ...forbidden, message: "another plug-in says no" } }
            : { allowed: true };
        },
      },
    ],
  });
}

afterEach(async () => {
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

const forbidden = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 403 } as const;
const post = (name: string, more: Json = {}) => world.tryCreate(configMapsType, configMap(name, more));
const tell = (name: string, metadata: Json = {}) =>
  world.request({ method: "POST", path, body: configMap(name, {}, metadata) });
const patchPolicy = (name: string, spec: Json) =>
  world.resource(claimPoliciesType).patch({ name }, { type: "merge", body: { spec } }, {}, signal);

/** Limits ConfigMaps to an amount by a policy. */
async function maps(amount: number, parts: PolicyParts = {}): Promise<void> {
  await registerAndGrant(world, "core/configmaps", configMapKind, amount);
  await createPolicy(world, policy("maps", configMapKind, "core/configmaps", parts));
}

describe("several policies on one kind", () => {
  beforeEach(async () => {
    await maps(5);
    await registerAndGrant(world, "core/settings", configMapKind, 1);
    await createPolicy(world, policy("settings", configMapKind, "core/settings"));
  });

  it("admit an object only together", async () => {
    expect(await post("a")).toEqual(created);
    const { code, message } = await post("b");
    expect(code).toBe(403);
    expect(message).toContain("core/settings");
    expect(message).not.toContain("core/configmaps");
    await expectUsage(world, "core/configmaps", 1);
    await expectUsage(world, "core/settings", 1);
    expect(await claimsIn(world)).toHaveLength(2);
  });

  it("each report their own result, also in a dry run", async () => {
    expect(await post("a")).toEqual(created);
    expect((await post("b")).code).toBe(403);
    expect((await world.request({ method: "POST", path, body: configMap("b"), query: { dryRun: "All" } })).code).toBe(
      403,
    );
    const resultsOf = (name: string) => results.filter(([of]) => of === name).map(([, result]) => result);
    expect(resultsOf("maps")).toEqual(["granted", "withdrawn", "withdrawn"]);
    expect(resultsOf("settings")).toEqual(["granted", "denied", "denied"]);
  });
});

it("release the claim of one policy before the rejection by another is answered", async () => {
  await maps(1);
  await registerAndGrant(world, "core/settings", configMapKind, 0);
  const constraints = [{ expression: "has(trigger.data)" }];
  await createPolicy(world, policy("settings", configMapKind, "core/settings", { constraints }));
  deletionMs = 100;
  expect((await post("large", { data: { a: "x" } })).code).toBe(403);
  expect(await post("small")).toEqual(created);
});

it("name every insufficient quota in the message and in causes", async () => {
  await maps(0);
  await registerAndGrant(world, "core/settings", configMapKind, 0);
  await createPolicy(world, policy("settings", configMapKind, "core/settings"));
  const { code, body, message } = await tell("a");
  expect(code).toBe(403);
  expect(body).toMatchObject({ reason: "Forbidden" });
  const { causes } = body["details"] as { causes: { reason: string; field: string; message: string }[] };
  expect(causes.map(({ reason, field }) => `${reason} ${field}`).sort()).toEqual([
    "QuotaExceeded core/configmaps",
    "QuotaExceeded core/settings",
  ]);
  for (const { message: text } of causes) expect(message).toContain(text);
});

describe("a policy", () => {
  it("is not evaluated while it is disabled", async () => {
    await maps(1);
    expect(await post("a")).toEqual(created);
    await patchPolicy("maps", { disabled: true });
    await waitForPolicy(world, "maps", "PolicyDisabled");
    expect(await post("b")).toEqual(created);
    expect(results).toEqual([
      ["maps", "granted"],
      ["maps", "policy_disabled"],
    ]);
  });

  it("that fails for an object rejects it with the error, until it is fixed", async () => {
    await maps(2, { requests: [{ resourceType: "core/configmaps", amountExpression: "int(trigger.data.size)" }] });
    const { code, body } = await tell("a");
    expect(code).toBe(500);
    expect(body).toMatchObject({ reason: "InternalError", details: { causes: [{ reason: "QuotaMisconfigured" }] } });
    expect(String(body["message"])).toMatch(
      /^rejected because .*\(ask your platform team to fix it\): .*ClaimCreationPolicy "maps"/,
    );
    expect(results).toEqual([["maps", "misconfigured"]]);
    expect(await claimsIn(world)).toEqual([]);
    const spec = policy("maps", configMapKind, "core/configmaps")["spec"] as Json;
    await patchPolicy("maps", { target: { ...(spec["target"] as Json) } });
    await waitForPolicy(world, "maps");
    await eventually(async () => expect(await post("a")).toEqual(created));
  });

  it("that fails for an object rejects it before any claim is created", async () => {
    await maps(1);
    expect(await post("a")).toEqual(created);
    const requests = [{ resourceType: "core/configmaps", amountExpression: "int(trigger.data.size)" }];
    await createPolicy(world, policy("broken", configMapKind, "core/configmaps", { requests }));
    results.length = 0;
    for (const [name, query] of [
      ["a", {}],
      ["b", {}],
      ["b", { dryRun: "All" }],
    ] as const) {
      const { code, message } = await world.request({ method: "POST", path, query, body: configMap(name) });
      expect(code).toBe(500);
      expect(message).toContain('ClaimCreationPolicy "broken"');
    }
    expect(results).toEqual(Array.from({ length: 3 }, () => ["broken", "misconfigured"]));
    expect(await claimsIn(world)).toHaveLength(1);
  });

  it("that fails with failurePolicy Ignore admits objects with a warning", async () => {
    const requests = [{ resourceType: "core/configmaps", amountExpression: "int(trigger.data.size)" }];
    await maps(1, { requests, spec: { failurePolicy: "Ignore" } });
    const { code, warnings } = await tell("a");
    expect(code).toBe(201);
    expect(warnings).toEqual([expect.stringContaining('quota is not checked: ClaimCreationPolicy "maps"')]);
    expect(results).toEqual([["maps", "ignored"]]);
  });

  it("with failurePolicy Ignore still rejects objects over quota", async () => {
    await maps(1, { spec: { failurePolicy: "Ignore" } });
    expect(await post("a")).toEqual(created);
    expect((await post("b")).code).toBe(403);
  });

  it("in Shadow mode warns of rejections and rejects nothing", async () => {
    await maps(0, { spec: { mode: "Shadow" } });
    const { code, warnings } = await tell("a");
    expect(code).toBe(201);
    expect(warnings).toEqual([
      'policy "maps" is in Shadow mode; Enforce would reject this: core/configmaps for Namespace "default": ' +
        "requested 1 configmap, limit 0, allocated 0, reserved 0, available 0",
    ]);
    expect(results).toEqual([["maps", "shadow_denied"]]);
    expect(await claimsIn(world)).toEqual([]);
    await eventually(async () => {
      const { items } = await world.resource(eventsType).list({ namespace: "default" }, signal);
      expect(items).toContainEqual(
        expect.objectContaining({
          reason: "WouldBeRejected",
          message: expect.stringMatching("^ConfigMap default/a would have been rejected: core/configmaps"),
        }),
      );
    });
  });

  it("treats a condition with a missing key as false, and counts it", async () => {
    await maps(1, { constraints: [{ expression: 'trigger.metadata.labels["env"] == "prod"' }] });
    for (const name of ["a", "b"]) expect(await post(name)).toEqual(created);
    expect(missing).toEqual(["maps", "maps"]);
    expect(await claimsIn(world)).toEqual([]);
  });

  it("does not claim for older objects", async () => {
    expect(await post("old")).toEqual(created);
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // creation timestamps have a resolution of seconds
    await maps(1);
    expect(await post("new")).toEqual(created);
    expect((await post("newer")).code).toBe(403);
    const ref = { namespace: "default", name: "old" };
    await world.resource(configMapsType).patch(ref, { type: "merge", body: { data: { a: "1" } } }, {}, signal);
    await expectUsage(world, "core/configmaps", 1);
  });

  it("applies to all served versions of a kind", async () => {
    await world.define(shipsDefinition, shipsType);
    await registerAndGrant(world, "fleet.example/ships", shipKind, 1);
    await createPolicy(world, policy("ships", shipKind, "fleet.example/ships"));
    const older = { ...shipsType, version: "v1beta1" };
    const sail = (name: string) => ({ ...ship(name, { size: 1 }), apiVersion: "fleet.example/v1beta1" });
    expect(await world.tryCreate(older, sail("a"))).toEqual(created);
    expect((await world.tryCreate(older, sail("b"))).code).toBe(403);
    expect((await world.tryCreate(shipsType, ship("b", { size: 1 }))).code).toBe(403);
  });

  it("can create claims in another namespace than that of the objects", async () => {
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "claims" } });
    await maps(2, { metadata: { namespace: "claims" } });
    for (const name of ["a", "b"]) expect(await post(name)).toEqual(created);
    expect((await post("c")).code).toBe(403);
    await expectUsage(world, "core/configmaps", 2);
    const items = await eventually(async () => {
      const listed = await world.resource(claimsType).list({ namespace: "claims" }, signal);
      expect(listed.items).toHaveLength(2); // the claim of the rejected object is withdrawn
      return listed.items;
    });
    for (const { metadata } of items as { metadata: Json }[]) expect(metadata["ownerReferences"]).toBeUndefined();
    await world.resource(configMapsType).delete({ namespace: "default", name: "a" }, {}, signal);
    await expectUsage(world, "core/configmaps", 1);
  });

  it("whose claims cannot be created rejects with its name", async () => {
    await maps(2, { metadata: { namespace: "nowhere" } });
    const { code, message } = await post("a");
    expect(code).toBe(500);
    expect(message).toContain(
      'the claim of ClaimCreationPolicy "maps" cannot be created: namespaces "nowhere" not found',
    );
  });

  it("rejects with a message if another claim has the name of its claim", async () => {
    await world.create(registrationsType, registration("core/other", [configMapKind]));
    await maps(2, { metadata: { name: "fixed-name" } });
    const foreign = {
      apiVersion: "quota.miloapis.com/v1alpha1",
      kind: "ResourceClaim",
      metadata: { name: "fixed-name", namespace: "default" },
      spec: {
        consumerRef: { kind: "Namespace", name: "default" },
        requests: [{ resourceType: "core/configmaps", amount: 1 }],
      },
    };
    await world.create(claimsType, foreign);
    const { code, message } = await post("a");
    expect(code).toBe(500);
    expect(message).toContain(
      'the claim of ClaimCreationPolicy "maps" cannot be created: a different claim fixed-name exists',
    );
    expect(results).toEqual([["maps", "misconfigured"]]);
    const { items } = await world.resource(claimsType).list({}, signal);
    expect(items).toHaveLength(1);
  });
});

describe("a later plug-in", () => {
  it("that rejects an admitted object frees its quota immediately", async () => {
    await maps(1);
    rejecting = "a";
    expect(await post("a")).toEqual({ code: 403, message: "another plug-in says no" });
    expect(await post("b")).toEqual(created);
    await eventually(async () => expect(await claimsIn(world)).toHaveLength(1));
  });
});

describe("the global enforcement mode", () => {
  const restart = async (enforcement: Enforcement): Promise<void> => {
    await world.stop();
    results.length = 0;
    world = await worldWith(enforcement);
  };
  const cases: Record<string, ["Shadow" | "Off", warned: number, AdmissionResult[]]> = {
    "Shadow admits everything with warnings": ["Shadow", 1, ["shadow_denied"]],
    "Off evaluates no policies": ["Off", 0, []],
  };
  for (const [name, [level, warned, expected]] of Object.entries(cases)) {
    it(name, async () => {
      await maps(0);
      expect((await post("a")).code).toBe(403);
      await restart(level);
      await maps(0);
      const { code, warnings } = await tell("b");
      expect([code, warnings.length]).toEqual([201, warned]);
      expect(results.map(([, result]) => result)).toEqual(expected);
    });
  }

  it("Shadow also admits objects for which a policy fails", async () => {
    await restart("Shadow");
    await maps(1, { requests: [{ resourceType: "core/configmaps", amountExpression: "int(trigger.data.size)" }] });
    expect((await tell("a")).code).toBe(201);
  });
});
