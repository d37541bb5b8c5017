import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  claim,
  cpu,
  grant,
  location,
  memory,
  type Pool,
  project,
  type RequestInput,
  registration,
  typeOf,
} from "./manifests.ts";
import { type Json, TestSystem } from "./test-system.ts";

const web = project("web");
const inWeb = { plane: "web" };
const instanceType = "compute.datumapis.com/instanceType";

let system: TestSystem;

beforeEach(async () => {
  system = await TestSystem.start({ projects: ["web"] });
  for (const resourceType of [cpu, memory]) {
    const spec = { type: "Allocation", consumerType: typeOf(web), dimensions: [location, instanceType] };
    await system.create(registrationsType, registration(resourceType, spec));
  }
});

afterEach(async () => {
  expect(system.reported).toEqual([]);
  await system.stop();
});

const at = (place: string): Record<string, string> => ({ [location]: place });
const give = (name: string, pools: readonly Pool[]): Promise<Json> =>
  system.create(grantsType, grant(name, web, { [cpu]: pools }), inWeb);
const createClaim = (name: string, ...requests: readonly Omit<RequestInput, "resourceType">[]): Promise<Json> => {
  const requested = requests.map((request) => ({ resourceType: cpu, ...request }));
  return system.create(claimsType, claim(name, web, requested), inWeb);
};
const expectDecision = (name: string, answer: string): Promise<void> =>
  system.eventually(async () => expect(await system.answer(name, inWeb)).toBe(answer));
const granted = "True QuotaAvailable";
const denied = "False QuotaExceeded";

describe("capacity with a dimension selector", () => {
  it("is used by matching claims only, and capacity without a selector by all", async () => {
    await give("everywhere", [
      { amount: 100, dimensionSelector: { matchExpressions: [{ key: location, operator: "Exists" }] } },
    ]);
    await give("dallas", [{ amount: 500, dimensionSelector: { matchLabels: at("DLS") } }]);
    await createClaim("most-of-dallas", { amount: 550, dimensions: at("DLS") });
    await expectDecision("most-of-dallas", granted);
    await createClaim("too-much-of-london", { amount: 51, dimensions: at("LHR") });
    await expectDecision("too-much-of-london", denied);
    await createClaim("london", { amount: 50, dimensions: at("LHR") });
    await expectDecision("london", granted);
    await createClaim("nowhere", { amount: 1 });
    await expectDecision("nowhere", denied);
    await system.eventually(async () =>
      expect(await system.figures(web, cpu)).toMatchObject({ limit: 600, allocated: 600, reserved: 0 }),
    );
  });

  it("is fully used in any order of claims", async () => {
    await give("both", [{ amount: 10 }, { amount: 10, dimensionSelector: { matchLabels: at("DLS") } }]);
    await createClaim("dallas-first", { amount: 10, dimensions: at("DLS") });
    await expectDecision("dallas-first", granted);
    await createClaim("anywhere", { amount: 10 });
    await expectDecision("anywhere", granted);
    await createClaim("more", { amount: 1, dimensions: at("DLS") });
    await expectDecision("more", denied);
  });

  it("supports all selector operators", async () => {
    await give("europe", [
      {
        amount: 5,
        dimensionSelector: {
          matchExpressions: [
            { key: location, operator: "In", values: ["LHR", "FRA"] },
            { key: instanceType, operator: "NotIn", values: ["huge"] },
          ],
        },
      },
      { amount: 3, dimensionSelector: { matchExpressions: [{ key: location, operator: "DoesNotExist" }] } },
    ]);
    const cases: readonly (readonly [string, Record<string, string>, number, string])[] = [
      ["london", at("LHR"), 2, granted],
      ["frankfurt", { ...at("FRA"), [instanceType]: "small" }, 3, granted],
      ["huge", { ...at("FRA"), [instanceType]: "huge" }, 1, denied],
      ["dallas", at("DLS"), 1, denied],
      ["none", {}, 3, granted],
    ];
    for (const [name, dimensions, amount, answer] of cases) {
      await createClaim(name, { amount, dimensions });
      await expectDecision(name, answer);
    }
  });

  it("is granted to several requests of one claim, or to none", async () => {
    await give("two", [
      { amount: 4, dimensionSelector: { matchLabels: at("DLS") } },
      { amount: 4, dimensionSelector: { matchLabels: at("LHR") } },
    ]);
    await createClaim("too-much", { amount: 4, dimensions: at("DLS") }, { amount: 5, dimensions: at("LHR") });
    await expectDecision("too-much", denied);
    await createClaim("all", { amount: 4, dimensions: at("DLS") }, { amount: 4, dimensions: at("LHR") });
    await expectDecision("all", granted);
  });
});

describe("the displayed dimensions", () => {
  it("are a bucket for each set and a total that counts everything once", async () => {
    await give("everywhere", [{ amount: 100 }]);
    await give("dallas", [{ amount: 500, dimensionSelector: { matchLabels: at("DLS") } }]);
    await system.eventually(async () => {
      expect(await system.total(web, cpu)).toMatchObject({ totalLimit: 600, totalAllocated: 0, available: 600 });
      expect(await system.figures(web, cpu, at("DLS"))).toMatchObject({ limit: 600, allocated: 0, available: 600 });
    });
    await createClaim("dallas", { amount: 520, dimensions: at("DLS") });
    await createClaim("london", { amount: 30, dimensions: at("LHR") });
    await expectDecision("dallas", granted);
    await expectDecision("london", granted);
    await system.eventually(async () => {
      const total = await system.total(web, cpu);
      expect(total).toMatchObject({
        totalLimit: 600,
        totalAllocated: 550,
        totalReserved: 0,
        available: 50,
        overage: 0,
      });
      expect(await system.figures(web, cpu, at("DLS"))).toMatchObject({ limit: 600, allocated: 520, available: 50 });
      expect(await system.figures(web, cpu, at("LHR"))).toMatchObject({ limit: 100, allocated: 30, available: 50 });
      const refs = (total?.["allowanceBucketRefs"] ?? []) as readonly { readonly allocated: number }[];
      expect(refs.map(({ allocated }) => allocated).sort()).toEqual([0, 30, 520]);
      expect(await system.figures(web, cpu)).toMatchObject({ limit: 600, allocated: 550, available: 50 });
    });
    await system.delete(claimsType, "london", inWeb);
    await system.delete(claimsType, "dallas", inWeb);
    await system.delete(grantsType, "everywhere", inWeb);
    await system.eventually(async () => {
      expect(await system.figures(web, cpu, at("LHR"))).toBeUndefined();
      expect(await system.figures(web, cpu)).toMatchObject({
        limit: 500,
        allocated: 0,
        available: 500,
        availableWithoutDimensions: 0,
      });
      expect(await system.total(web, cpu)).toMatchObject({ totalLimit: 500, totalAllocated: 0, available: 500 });
    });
    await system.delete(grantsType, "dallas", inWeb);
    await system.eventually(async () => {
      expect(await system.total(web, cpu)).toBeUndefined();
      expect(await system.figures(web, cpu, at("DLS"))).toBeUndefined();
      expect(await system.figures(web, cpu)).toBeUndefined();
    });
  });
});

describe("a feature", () => {
  const darkMode = "portal.miloapis.com/dark-mode";

  it("is on while it is granted, and cannot be claimed", async () => {
    const spec = { type: "Feature", consumerType: typeOf(web), baseUnit: "flag" };
    await system.create(registrationsType, registration(darkMode, spec));
    await system.create(grantsType, grant("on", web, { [darkMode]: 1 }), inWeb);
    await system.eventually(async () => expect(await system.total(web, darkMode)).toMatchObject({ totalLimit: 1 }));
    await system.create(claimsType, claim("take", web, [{ resourceType: darkMode, amount: 1 }]), inWeb);
    await expectDecision("take", "False ValidationFailed");
    await system.delete(claimsType, "take", inWeb);
    await system.delete(grantsType, "on", inWeb);
    await system.eventually(async () => expect(await system.total(web, darkMode)).toBeUndefined());
  });
});
