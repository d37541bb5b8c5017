import { grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AdmissionWorld } from "./admission-world.ts";
import {
  configMap,
  configMapKind,
  enforce,
  grant,
  limitOf,
  type PolicyParts,
  policy,
  provide,
  registration,
} from "./quota-objects.ts";
import { eventually, type Json, type ServedWorld, type Told } from "./served-world.ts";
import { WebhookWorld } from "./webhook-world.ts";

const type = "core/configmaps";
const path = "/api/v1/namespaces/default/configmaps";
const dryRun = { dryRun: "All" };

/** A pool: `5`, or `3 in a b`. */
function bucket(pool: string): Json {
  const [amount, values] = pool.split(" in ");
  if (values === undefined) return { amount: Number(amount) };
  const matchExpressions = [{ key: "place", operator: "In", values: values.split(" ") }];
  return { amount: Number(amount), dimensionSelector: { matchExpressions } };
}

/** What a policy asks for: `3 in a, 4`. */
function asking(asks: string): PolicyParts {
  const requests = asks.split(", ").map((ask) => {
    const [amount, place] = ask.split(" in ");
    return { resourceType: type, amount: Number(amount), ...(place === undefined ? {} : { dimensions: { place } }) };
  });
  return { requests };
}

/** Maps have a place; there are these pools of them. */
async function grantPools(world: ServedWorld, pools: readonly string[]): Promise<void> {
  await world.create(registrationsType, registration(type, [configMapKind], { dimensions: ["place"] }));
  const allowances = [{ resourceType: type, buckets: pools.map(bucket) }];
  await world.create(grantsType, grant("pools", type, 0, { allowances }));
  const all = pools.reduce((sum, pool) => sum + Number.parseInt(pool, 10), 0);
  await eventually(async () => expect(await limitOf(world, type)).toBe(all));
}

const post = (world: ServedWorld, name: string, query: Readonly<Record<string, string>> = {}): Promise<Told> =>
  world.ask({ method: "POST", path, query, body: configMap(name) });

describe("in the process of the server", () => {
  let world: AdmissionWorld;

  beforeEach(async () => {
    world = await AdmissionWorld.start({ waitMsMax: 60_000 });
  });

  afterEach(async () => {
    await world.stop();
    expect(world.faults).toEqual([]);
  });

  describe("a dry run is answered as the create is, to the word", () => {
    const cases: Record<string, [pools: string[], policies: string[], code: number]> = {
      "requests of one policy that share a pool": [["5"], ["3 in a, 3 in b"], 403],
      "requests of two policies that share a pool": [["5"], ["3 in a", "3 in b"], 403],
      "two policies that ask for the same": [["5"], ["3 in a", "3 in a"], 403],
      "requests that share one of several pools": [["5 in a b", "5 in c"], ["3 in a, 3 in b"], 403],
      "requests with and without a place": [["4", "2 in a"], ["4, 3 in a"], 403],
      "requests that fit because one moves to another pool": [["3 in a b", "3 in a"], ["3 in a, 3 in b"], 201],
      "requests that share a pool and fit": [["6"], ["3 in a, 3 in b"], 201],
    };
    for (const [name, [pools, policies, code]] of Object.entries(cases)) {
      it(name, async () => {
        await grantPools(world, pools);
        for (const [at, asks] of policies.entries()) {
          await enforce(world, policy(`maps-${at}`, configMapKind, type, asking(asks)));
        }
        const tried = await post(world, "a", dryRun);
        const made = await post(world, "a");
        expect([tried.code, made.code]).toEqual([code, code]);
        expect(tried.message).toBe(made.message);
        expect(tried.body["details"]).toEqual(made.body["details"]);
      });
    }
  });

  describe("a policy that only watches tells what it would refuse", () => {
    const shadow = { mode: "Shadow" };
    const shared =
      'core/configmaps (place=b) for Namespace "default": requested 3 configmaps, limit 5, allocated 0, ' +
      "reserved 0, available 2 (3 taken by other dimensions or requests)";

    it("when its own requests share a pool", async () => {
      await grantPools(world, ["5"]);
      const asks = asking("3 in a, 3 in b");
      await enforce(world, policy("maps", configMapKind, type, { ...asks, spec: shadow }));
      const { code, warnings } = await post(world, "a");
      expect([code, warnings]).toEqual([
        201,
        [`policy "maps" is in Shadow mode; Enforce would reject this: ${shared}`],
      ]);
    });

    it.each([
      ["another that only watches", { spec: shadow }, "a"],
      ["one that is enforced", {}, "b"],
    ])("beside %s", async (_, first, name) => {
      await grantPools(world, ["5"]);
      await enforce(world, policy("a-maps", configMapKind, type, { ...asking("3 in a"), ...first }));
      await enforce(world, policy("b-maps", configMapKind, type, { ...asking("3 in b"), spec: shadow }));
      const { code, warnings } = await post(world, name);
      expect([code, warnings]).toEqual([
        201,
        [`policy "b-maps" is in Shadow mode; Enforce would reject this: ${shared}`],
      ]);
    });
  });

  it("claims of several consumers are each held against their own", async () => {
    await provide(world, type, configMapKind, 2);
    await provide(world, "core/settings", configMapKind, 0);
    const consumerRef = { kind: "Namespace", name: "kube-system" };
    const allowances = [{ resourceType: "core/settings", buckets: [{ amount: 1 }] }];
    await world.create(grantsType, grant("settings", "core/settings", 0, { consumerRef, allowances }));
    await enforce(world, policy("maps", configMapKind, type));
    const settings = policy("settings", configMapKind, "core/settings");
    const spec = settings["spec"] as { target: { resourceClaimTemplate: { spec: Json } } };
    spec.target.resourceClaimTemplate.spec["consumerRef"] = consumerRef;
    await enforce(world, settings);
    await eventually(async () => expect((await post(world, "a", dryRun)).code).toBe(201));
    expect((await post(world, "a")).code).toBe(201);
    const refused = await post(world, "b", dryRun);
    expect(refused.code).toBe(403);
    expect(refused.message).toContain('core/settings for Namespace "kube-system": requested 1 setting, limit 1');
    expect(refused.message).not.toContain("core/configmaps");
  });
});

describe("over webhooks, where buckets are all that is known", () => {
  let world: WebhookWorld;

  beforeEach(async () => {
    world = await WebhookWorld.start(1);
    await world.askAt(0, [{ group: "", resources: ["configmaps"] }]);
  });

  afterEach(async () => {
    await world.stop();
    expect(world.reported).toEqual([]);
  });

  it("requests that share a pool are added up, by a dry run and by a policy that only watches", async () => {
    await grantPools(world, ["5"]);
    const asks = asking("3 in a, 3 in b");
    await enforce(world, policy("maps", configMapKind, type, asks));
    const tried = await eventually(async () => {
      const answer = await post(world, "a", dryRun);
      expect(answer.code).toBe(403);
      return answer;
    });
    expect(tried.message).toContain("core/configmaps (place=b)");
    expect(tried.message).toBe((await post(world, "a")).message);
    await world.ask({ method: "DELETE", path: "/apis/quota.miloapis.com/v1alpha1/claimcreationpolicies/maps" });
    await enforce(world, policy("watch", configMapKind, type, { ...asks, spec: { mode: "Shadow" } }));
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
