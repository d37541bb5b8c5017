import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type Asked,
  claim,
  cpu,
  grant,
  location,
  memory,
  type Pool,
  project,
  registration,
  typeOf,
} from "./manifests.ts";
import { type Json, QuotaSystem } from "./quota-system.ts";

const web = project("web");
const inWeb = { plane: "web" };
const instanceType = "compute.datumapis.com/instanceType";

let system: QuotaSystem;

beforeEach(async () => {
  system = await QuotaSystem.start({ projects: ["web"] });
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
const ask = (name: string, ...requests: readonly Omit<Asked, "resourceType">[]): Promise<Json> => {
  const asked = requests.map((request) => ({ resourceType: cpu, ...request }));
  return system.create(claimsType, claim(name, web, asked), inWeb);
};
const isTold = (name: string, answer: string): Promise<void> =>
  system.eventually(async () => expect(await system.answer(name, inWeb)).toBe(answer));
const granted = "True QuotaAvailable";
const denied = "False QuotaExceeded";

describe("capacity for some dimensions", () => {
  it("is drawn from by those alone, and capacity for all by everybody", async () => {
    await give("everywhere", [
      { amount: 100, dimensionSelector: { matchExpressions: [{ key: location, operator: "Exists" }] } },
    ]);
    await give("dallas", [{ amount: 500, dimensionSelector: { matchLabels: at("DLS") } }]);
    await ask("most-of-dallas", { amount: 550, dimensions: at("DLS") });
    await isTold("most-of-dallas", granted);
    await ask("too-much-of-london", { amount: 51, dimensions: at("LHR") });
    await isTold("too-much-of-london", denied);
    await ask("london", { amount: 50, dimensions: at("LHR") });
    await isTold("london", granted);
    await ask("nowhere", { amount: 1 });
    await isTold("nowhere", denied);
    await system.eventually(async () =>
      expect(await system.figures(web, cpu)).toMatchObject({ limit: 600, allocated: 600, reserved: 0 }),
    );
  });

  it("is not stranded by the order in which claims arrive", async () => {
    await give("both", [{ amount: 10 }, { amount: 10, dimensionSelector: { matchLabels: at("DLS") } }]);
    await ask("dallas-first", { amount: 10, dimensions: at("DLS") });
    await isTold("dallas-first", granted);
    await ask("anywhere", { amount: 10 });
    await isTold("anywhere", granted);
    await ask("more", { amount: 1, dimensions: at("DLS") });
    await isTold("more", denied);
  });

  it("is chosen by all that a selector can say", async () => {
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
      await ask(name, { amount, dimensions });
      await isTold(name, answer);
    }
  });

  it("is asked for several times in one claim, all or nothing", async () => {
    await give("two", [
      { amount: 4, dimensionSelector: { matchLabels: at("DLS") } },
      { amount: 4, dimensionSelector: { matchLabels: at("LHR") } },
    ]);
    await ask("too-much", { amount: 4, dimensions: at("DLS") }, { amount: 5, dimensions: at("LHR") });
    await isTold("too-much", denied);
    await ask("all", { amount: 4, dimensions: at("DLS") }, { amount: 4, dimensions: at("LHR") });
    await isTold("all", granted);
  });
});

describe("what is shown of dimensions", () => {
  it("is a bucket for each set of them, and a total that counts everything once", async () => {
    await give("everywhere", [{ amount: 100 }]);
    await give("dallas", [{ amount: 500, dimensionSelector: { matchLabels: at("DLS") } }]);
    await system.eventually(async () => {
      expect(await system.total(web, cpu)).toMatchObject({ totalLimit: 600, totalAllocated: 0, available: 600 });
      expect(await system.figures(web, cpu, at("DLS"))).toMatchObject({ limit: 600, allocated: 0, available: 600 });
    });
    await ask("dallas", { amount: 520, dimensions: at("DLS") });
    await ask("london", { amount: 30, dimensions: at("LHR") });
    await isTold("dallas", granted);
    await isTold("london", granted);
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
      expect(total?.["allowanceBucketRefs"]).toHaveLength(3);
    });
    await system.delete(claimsType, "london", inWeb);
    await system.delete(claimsType, "dallas", inWeb);
    await system.delete(grantsType, "everywhere", inWeb);
    await system.eventually(async () => {
      expect(await system.figures(web, cpu, at("LHR"))).toBeUndefined();
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

  it("is on when it is granted, off when it is not, and nobody can claim it", async () => {
    const spec = { type: "Feature", consumerType: typeOf(web), baseUnit: "flag" };
    await system.create(registrationsType, registration(darkMode, spec));
    await system.create(grantsType, grant("on", web, { [darkMode]: 1 }), inWeb);
    await system.eventually(async () => expect(await system.total(web, darkMode)).toMatchObject({ totalLimit: 1 }));
    await system.create(claimsType, claim("take", web, [{ resourceType: darkMode, amount: 1 }]), inWeb);
    await isTold("take", "False ValidationFailed");
    await system.delete(claimsType, "take", inWeb);
    await system.delete(grantsType, "on", inWeb);
    await system.eventually(async () => expect(await system.total(web, darkMode)).toBeUndefined());
  });
});
