import type { AdmissionResult } from "@milo-quota/quota/admission/admission-observer.ts";
import type { WaiterResult } from "@milo-quota/quota/admission/claims/stream-observer.ts";
import { claimPoliciesType, grantsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType } from "./object-types.ts";
import {
  bucketOf,
  claimsIn,
  configMap,
  configMapKind,
  createPolicy,
  expectUsage,
  grant,
  limitOf,
  policy,
  registerAndGrant,
  waitForPolicy,
} from "./quota-objects.ts";
import { eventually, type Json, signal } from "./test-world.ts";

let world: AdmissionWorld;
/** Claim decisions wait for this. */
let answering: Promise<void>;
let waited: WaiterResult[];
let results: AdmissionResult[];
const path = "/api/v1/namespaces/default/configmaps";

beforeEach(async () => {
  answering = Promise.resolve();
  waited = [];
  results = [];
  world = await AdmissionWorld.start({
    waitMsMax: 1_500,
    observer: { onDecided: (_policy, _change, result) => results.push(result) },
    streamObserver: { onWaiterLeft: (result) => waited.push(result) },
    plugins: [
      {
        name: "slow answers",
        validate: async ({ kind, subresource }) => {
          if (kind.kind === "ResourceClaim" && subresource === "status") await answering;
          return { allowed: true };
        },
      },
    ],
  });
  await registerAndGrant(world, "core/configmaps", configMapKind, 1);
  await createPolicy(world, policy("maps", configMapKind, "core/configmaps"));
});

afterEach(async () => {
  await world.stop();
  expect(world.unexpectedReports).toEqual([]);
});

const post = (name: string, query: Readonly<Record<string, string>> = {}) =>
  world.request({ method: "POST", path, body: configMap(name), query });
/** Holds claim decisions back until the returned function is called. */
function holdDecisions(): () => void {
  let release = (): void => undefined;
  answering = new Promise((resolve) => {
    release = resolve;
  });
  return release;
}
const causes = (body: Json) =>
  (body["details"] as { causes?: { reason: string }[] }).causes?.map(({ reason }) => reason);

describe("admission answers", () => {
  it("403 with the numbers if quota is insufficient", async () => {
    expect((await post("a")).code).toBe(201);
    const { code, body } = await post("b");
    expect([code, body["reason"], causes(body)]).toEqual([403, "Forbidden", ["QuotaExceeded"]]);
    expect(body["details"]).not.toHaveProperty("retryAfterSeconds");
    expect(waited).toEqual(["denied"]); // granted objects do not wait
  });

  it("503 with a retry hint if there is no decision in time, and withdraws the claim", async () => {
    expect((await post("a")).code).toBe(201);
    const release = holdDecisions();
    const { code, body, message } = await post("b");
    expect([code, body["reason"], causes(body)]).toEqual([503, "ServiceUnavailable", ["QuotaDecisionTimeout"]]);
    expect(body["details"]).toHaveProperty("retryAfterSeconds", 1);
    expect(message).toBe(
      'quota could not be decided: the claim of ClaimCreationPolicy "maps" was not decided in time; try again',
    );
    expect(waited).toEqual(["timeout"]);
    expect(world.health.waiters).toBe(0);
    await eventually(async () => expect(await claimsIn(world)).toHaveLength(1));
    release();
    expect((await world.request({ method: "DELETE", path: `${path}/a` })).code).toBe(200);
    await eventually(async () => expect((await post("b")).code).toBe(201));
    await expectUsage(world, "core/configmaps", 1);
  });

  it("500 with the name of the policy if a policy fails", async () => {
    const requests = [{ resourceType: "core/configmaps", amountExpression: "1 / 0" }];
    await createPolicy(world, policy("broken", configMapKind, "core/configmaps", { requests }));
    const { code, body, message } = await post("a");
    expect([code, body["reason"], causes(body)]).toEqual([500, "InternalError", ["QuotaMisconfigured"]]);
    expect(message).toContain('ClaimCreationPolicy "broken"');
    expect(await claimsIn(world)).toEqual([]);
  });
});

describe("a policy with failurePolicy Ignore and no decision in time", () => {
  const warning = 'quota is not checked: the claim of ClaimCreationPolicy "maps" was not decided in time';
  const used = async () => {
    const { status } = (await bucketOf(world, "core/configmaps")) ?? {};
    return [status?.["limit"], status?.["allocated"], status?.["reserved"], status?.["overage"]];
  };

  beforeEach(async () => {
    const body = { spec: { failurePolicy: "Ignore" } };
    await world.resource(claimPoliciesType).patch({ name: "maps" }, { type: "merge", body }, {}, signal);
    await waitForPolicy(world, "maps");
  });

  it("admits the object with a warning and counts it afterwards, even over the limit", async () => {
    expect((await post("a")).code).toBe(201);
    const release = holdDecisions();
    const { code, warnings } = await post("b");
    expect([code, warnings[0]]).toEqual([201, warning]);
    expect(results).toEqual(["granted", "ignored"]);
    release();
    await eventually(async () => expect(await used()).toEqual([1, 2, 0, 1]));
    expect((await post("c")).code).toBe(403);
  });

  it("does not warn about decided objects", async () => {
    const { code, warnings } = await post("a");
    expect([code, warnings.filter((text) => text.includes("not checked"))]).toEqual([201, []]);
  });
});

describe("a dry run", () => {
  const dryRun = { dryRun: "All" };

  it("gets the answer of a real create and writes nothing", async () => {
    expect((await post("a", dryRun)).code).toBe(201);
    expect(await claimsIn(world)).toEqual([]);
    expect((await post("a")).code).toBe(201);
    await eventually(async () => {
      const { code, message } = await post("b", dryRun);
      expect(code).toBe(403);
      expect(message).toContain("requested 1 configmap, limit 1, allocated 1, reserved 0, available 0");
    });
    expect(await claimsIn(world)).toHaveLength(1);
    expect((await post("a", dryRun)).code).toBe(409);
  });

  it("adds up the requests of all policies", async () => {
    await world.create(grantsType, grant("two", "core/configmaps", 2));
    await eventually(async () => expect(await limitOf(world, "core/configmaps")).toBe(3));
    const requests = [{ resourceType: "core/configmaps", amount: 3 }];
    await createPolicy(world, policy("three-more", configMapKind, "core/configmaps", { requests }));
    const { code, message } = await post("a", dryRun);
    expect(code).toBe(403);
    expect(message).toContain("requested 3 configmaps, limit 3, allocated 1, reserved 0, available 2");
    expect(await post("a")).toMatchObject({ code, message });
  });

  it("is rejected in a namespace without quota", async () => {
    expect((await world.tryCreate(configMapsType, configMap("a"))).code).toBe(201);
    const { code } = await world.request({
      method: "POST",
      path: "/api/v1/namespaces/kube-system/configmaps",
      body: configMap("a", {}, { namespace: "kube-system" }),
      query: dryRun,
    });
    expect(code).toBe(403);
  });
});
