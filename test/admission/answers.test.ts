import type { AdmissionResult } from "@milo-quota/quota/admission/admission-listener.ts";
import type { WaiterResult } from "@milo-quota/quota/admission/claims/stream-listener.ts";
import { claimPoliciesType, grantsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import { configMapsType } from "./object-types.ts";
import {
  bucketOf,
  claimsIn,
  configMap,
  configMapKind,
  enforce,
  grant,
  isReady,
  limitOf,
  policy,
  provide,
  usesEventually,
} from "./quota-objects.ts";
import { eventually, type Json, signal } from "./served-world.ts";

let world: AdmissionWorld;
/** No claim is answered while this is not resolved. */
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
    told: { decided: (_policy, _change, result) => results.push(result) },
    toldStreams: { waited: (result) => waited.push(result) },
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
  await provide(world, "core/configmaps", configMapKind, 1);
  await enforce(world, policy("maps", configMapKind, "core/configmaps"));
});

afterEach(async () => {
  await world.stop();
  expect(world.faults).toEqual([]);
});

const post = (name: string, query: Readonly<Record<string, string>> = {}) =>
  world.ask({ method: "POST", path, body: configMap(name), query });
/** No claim is answered until what is returned is called. */
function keepAnswers(): () => void {
  let release = (): void => undefined;
  answering = new Promise((resolve) => {
    release = resolve;
  });
  return release;
}
const causes = (body: Json) =>
  (body["details"] as { causes?: { reason: string }[] }).causes?.map(({ reason }) => reason);

describe("answers tell themselves apart", () => {
  it("a refusal: 403, with the numbers", async () => {
    expect((await post("a")).code).toBe(201);
    const { code, body } = await post("b");
    expect([code, body["reason"], causes(body)]).toEqual([403, "Forbidden", ["QuotaExceeded"]]);
    expect(body["details"]).not.toHaveProperty("retryAfterSeconds");
    expect(waited).toEqual(["denied"]); // what is there is granted without waiting
  });

  it("no decision in time: 503, to be tried again, and nothing is kept", async () => {
    expect((await post("a")).code).toBe(201);
    const release = keepAnswers();
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
    expect((await world.ask({ method: "DELETE", path: `${path}/a` })).code).toBe(200);
    await eventually(async () => expect((await post("b")).code).toBe(201));
    await usesEventually(world, "core/configmaps", 1);
  });

  it("a broken policy: 500, and it is named", async () => {
    const requests = [{ resourceType: "core/configmaps", amountExpression: "1 / 0" }];
    await enforce(world, policy("broken", configMapKind, "core/configmaps", { requests }));
    const { code, body, message } = await post("a");
    expect([code, body["reason"], causes(body)]).toEqual([500, "InternalError", ["QuotaMisconfigured"]]);
    expect(message).toContain('ClaimCreationPolicy "broken"');
    expect(await claimsIn(world)).toEqual([]);
  });
});

describe("a policy that lets in what nobody decides", () => {
  const warning = 'quota is not checked: the claim of ClaimCreationPolicy "maps" was not decided in time';
  const used = async () => {
    const { status } = (await bucketOf(world, "core/configmaps")) ?? {};
    return [status?.["limit"], status?.["allocated"], status?.["reserved"], status?.["overage"]];
  };

  beforeEach(async () => {
    const body = { spec: { failurePolicy: "Ignore" } };
    await world.resource(claimPoliciesType).patch({ name: "maps" }, { type: "merge", body }, {}, signal);
    await isReady(world, "maps");
  });

  it("says so, and what came in is counted afterwards, beyond the limit if need be", async () => {
    expect((await post("a")).code).toBe(201);
    const release = keepAnswers();
    const { code, warnings } = await post("b");
    expect([code, warnings[0]]).toEqual([201, warning]);
    expect(results).toEqual(["granted", "ignored"]);
    release();
    await eventually(async () => expect(await used()).toEqual([1, 2, 0, 1]));
    expect((await post("c")).code).toBe(403);
  });

  it("says nothing of what is decided", async () => {
    const { code, warnings } = await post("a");
    expect([code, warnings.filter((text) => text.includes("not checked"))]).toEqual([201, []]);
  });
});

describe("a dry run", () => {
  const dryRun = { dryRun: "All" };

  it("is told the truth, and nothing is written", async () => {
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

  it("counts all policies together", async () => {
    await world.create(grantsType, grant("two", "core/configmaps", 2));
    await eventually(async () => expect(await limitOf(world, "core/configmaps")).toBe(3));
    const requests = [{ resourceType: "core/configmaps", amount: 3 }];
    await enforce(world, policy("three-more", configMapKind, "core/configmaps", { requests }));
    const { code, message } = await post("a", dryRun);
    expect(code).toBe(403);
    expect(message).toContain("requested 3 configmaps, limit 3, allocated 1, reserved 0, available 2");
    expect(await post("a")).toMatchObject({ code, message });
  });

  it("of something that does not exist in a namespace without quota is refused", async () => {
    expect((await world.tryCreate(configMapsType, configMap("a"))).code).toBe(201);
    const { code } = await world.ask({
      method: "POST",
      path: "/api/v1/namespaces/kube-system/configmaps",
      body: configMap("a", {}, { namespace: "kube-system" }),
      query: dryRun,
    });
    expect(code).toBe(403);
  });
});
