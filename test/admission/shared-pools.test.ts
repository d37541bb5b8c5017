import { grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import {
  configMap,
  configMapKind,
  createPolicy,
  grant,
  limitOf,
  type PolicyParts,
  policy,
  registerAndGrant,
  registration,
} from "./quota-objects.ts";
import { type ApiResponse, eventually, type Json, type TestWorld } from "./test-world.ts";
import { WebhookWorld } from "./webhook-world.ts";

const type = "core/configmaps";
const path = "/api/v1/namespaces/default/configmaps";
const dryRun = { dryRun: "All" };

/** Parses a pool: `5`, or `3 in a b`. */
function bucket(pool: string): Json {
  const [amount, values] = pool.split(" in ");
  if (values === undefined) return { amount: Number(amount) };
  const matchExpressions = [{ key: "place", operator: "In", values: values.split(" ") }];
  return { amount: Number(amount), dimensionSelector: { matchExpressions } };
}

/** Parses the requests of a policy: `3 in a, 4`. */
function asking(requestList: string): PolicyParts {
  const requests = requestList.split(", ").map((text) => {
    const [amount, place] = text.split(" in ");
    return { resourceType: type, amount: Number(amount), ...(place === undefined ? {} : { dimensions: { place } }) };
  });
  return { requests };
}

/** Registers ConfigMaps with a place dimension and grants these pools. */
async function grantPools(world: TestWorld, pools: readonly string[]): Promise<void> {
  await world.create(registrationsType, registration(type, [configMapKind], { dimensions: ["place"] }));
  const allowances = [{ resourceType: type, buckets: pools.map(bucket) }];
  await world.create(grantsType, grant("pools", type, 0, { allowances }));
  const all = pools.reduce((sum, pool) => sum + Number.parseInt(pool, 10), 0);
  await eventually(async () => expect(await limitOf(world, type)).toBe(all));
}

const post = (world: TestWorld, name: string, query: Readonly<Record<string, string>> = {}): Promise<ApiResponse> =>
  world.request({ method: "POST", path, query, body: configMap(name) });

describe("embedded admission", () => {
  let world: AdmissionWorld;

  beforeEach(async () => {
    world = await AdmissionWorld.start({ waitMsMax: 60_000 });
  });

  afterEach(async () => {
    await world.stop();
    expect(world.unexpectedReports).toEqual([]);
  });

  describe("answers a dry run exactly like a create", () => {
    const cases: Record<string, [pools: string[], policies: string[], code: number]> = {
      "requests of one policy that share a pool": [["5"], ["3 in a, 3 in b"], 403],
      "requests of two policies that share a pool": [["5"], ["3 in a", "3 in b"], 403],
      "two policies with the same request": [["5"], ["3 in a", "3 in a"], 403],
      "requests that share one of several pools": [["5 in a b", "5 in c"], ["3 in a, 3 in b"], 403],
      "requests with and without a place": [["4", "2 in a"], ["4, 3 in a"], 403],
      "requests that fit only if one uses another pool": [["3 in a b", "3 in a"], ["3 in a, 3 in b"], 201],
      "requests that share a pool and fit": [["6"], ["3 in a, 3 in b"], 201],
    };
    for (const [name, [pools, policies, code]] of Object.entries(cases)) {
      it(name, async () => {
        await grantPools(world, pools);
        for (const [at, requestList] of policies.entries()) {
          await createPolicy(world, policy(`maps-${at}`, configMapKind, type, asking(requestList)));
        }
        const tried = await post(world, "a", dryRun);
        const created = await post(world, "a");
        expect([tried.code, created.code]).toEqual([code, code]);
        expect(tried.message).toBe(created.message);
        expect(tried.body["details"]).toEqual(created.body["details"]);
      });
    }
  });

  describe("a policy in Shadow mode warns of a rejection", () => {
    const shadow = { mode: "Shadow" };
    const shared =
      'core/configmaps (place=b) for Namespace "default": requested 3 configmaps, limit 5, allocated 0, ' +
      "reserved 0, available 2 (3 taken by other dimensions or requests)";

    it("if its own requests share a pool", async () => {
      await grantPools(world, ["5"]);
      const requestList = asking("3 in a, 3 in b");
      await createPolicy(world, policy("maps", configMapKind, type, { ...requestList, spec: shadow }));
      const { code, warnings } = await post(world, "a");
      expect([code, warnings]).toEqual([
        201,
        [`policy "maps" is in Shadow mode; Enforce would reject this: ${shared}`],
      ]);
    });

    it.each([
      ["another policy in Shadow mode", { spec: shadow }, "a"],
      ["an enforced policy", {}, "b"],
    ])("next to %s", async (_, first, name) => {
      await grantPools(world, ["5"]);
      await createPolicy(world, policy("a-maps", configMapKind, type, { ...asking("3 in a"), ...first }));
      await createPolicy(world, policy("b-maps", configMapKind, type, { ...asking("3 in b"), spec: shadow }));
      const { code, warnings } = await post(world, name);
      expect([code, warnings]).toEqual([
        201,
        [`policy "b-maps" is in Shadow mode; Enforce would reject this: ${shared}`],
      ]);
    });
  });

  it("checks the claims of each consumer against its own pools", async () => {
    await registerAndGrant(world, type, configMapKind, 2);
    await registerAndGrant(world, "core/settings", configMapKind, 0);
    const consumerRef = { kind: "Namespace", name: "kube-system" };
    const allowances = [{ resourceType: "core/settings", buckets: [{ amount: 1 }] }];
    await world.create(grantsType, grant("settings", "core/settings", 0, { consumerRef, allowances }));
    await createPolicy(world, policy("maps", configMapKind, type));
    const settings = policy("settings", configMapKind, "core/settings");
    const spec = settings["spec"] as { target: { resourceClaimTemplate: { spec: Json } } };
    spec.target.resourceClaimTemplate.spec["consumerRef"] = consumerRef;
    await createPolicy(world, settings);
    await eventually(async () => expect((await post(world, "a", dryRun)).code).toBe(201));
    expect((await post(world, "a")).code).toBe(201);
    const rejected = await post(world, "b", dryRun);
    expect(rejected.code).toBe(403);
    expect(rejected.message).toContain('core/settings for Namespace "kube-system": requested 1 setting, limit 1');
    expect(rejected.message).not.toContain("core/configmaps");
  });
});

describe("admission webhooks, which know only buckets,", () => {
  let world: WebhookWorld;

  beforeEach(async () => {
    world = await WebhookWorld.start(1);
    await world.routeTo(0, [{ group: "", resources: ["configmaps"] }]);
  });

  afterEach(async () => {
    await world.stop();
    expect(world.reported).toEqual([]);
  });

  it("add up requests that share a pool, in dry runs and in Shadow mode", async () => {
    await grantPools(world, ["5"]);
    const requestList = asking("3 in a, 3 in b");
    await createPolicy(world, policy("maps", configMapKind, type, requestList));
    const tried = await eventually(async () => {
      const answer = await post(world, "a", dryRun);
      expect(answer.code).toBe(403);
      return answer;
    });
    expect(tried.message).toContain("core/configmaps (place=b)");
    expect(tried.message).toBe((await post(world, "a")).message);
    await world.request({ method: "DELETE", path: "/apis/quota.miloapis.com/v1alpha1/claimcreationpolicies/maps" });
    await createPolicy(world, policy("watch", configMapKind, type, { ...requestList, spec: { mode: "Shadow" } }));
    await eventually(async () => {
      const { code, warnings } = await post(world, `map-${Math.random()}`);
      expect(code).toBe(201);
      expect(warnings).toEqual([
        expect.stringMatching(
          /^policy "watch" is in Shadow mode; Enforce would reject this: .*place=b.*available 2 \(3 taken by other/,
        ),
      ]);
    });
  });
});
