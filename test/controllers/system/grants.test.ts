import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { conditionOf, type Json, TestSystem } from "./test-system.ts";

let system: TestSystem;

beforeEach(async () => {
  system = await TestSystem.start();
  await system.create(registrationsType, registration(projectsType, { baseUnit: "project" }));
});

afterEach(async () => {
  expect(system.reported).toEqual([]);
  await system.stop();
});

const give = (name: string, amount: number, spec: Json = {}): Promise<Json> => {
  const created = grant(name, organization, { [projectsType]: amount });
  return system.create(grantsType, { ...created, spec: { ...(created["spec"] as Json), ...spec } });
};
const change = (name: string, amount: number): Promise<Json> =>
  system.patch(grantsType, name, { spec: { allowances: [{ resourceType: projectsType, buckets: [{ amount }] }] } });
const createClaim = (name: string, amount: number): Promise<Json> =>
  system.create(claimsType, claim(name, organization, [{ resourceType: projectsType, amount }]));
const shows = (figures: Json): Promise<void> =>
  system.eventually(async () => expect(await system.figures(organization, projectsType)).toMatchObject(figures));
const expectDecision = (name: string, answer: string): Promise<void> =>
  system.eventually(async () => expect(await system.answer(name)).toBe(answer));

const isOverLimit = async (): Promise<string> => {
  const condition = conditionOf({ status: await system.figures(organization, projectsType) }, "OverLimit");
  return `${condition?.status} ${condition?.reason}`;
};

describe("grants to one consumer", () => {
  it("add up, and are subtracted when they are deleted", async () => {
    await give("base", 3);
    await give("extra", 2);
    await shows({ limit: 5, available: 5, grantCount: 2 });
    await createClaim("four", 4);
    await expectDecision("four", "True QuotaAvailable");
    await system.delete(grantsType, "extra");
    await shows({ limit: 3, allocated: 4, available: 0, overage: 1, grantCount: 1 });
    await createClaim("one", 1);
    await expectDecision("one", "False QuotaExceeded");
    expect(await system.answer("four")).toBe("True QuotaAvailable");
  });

  it("allow more claims when they are raised", async () => {
    await give("base", 1);
    await createClaim("first", 1);
    await expectDecision("first", "True QuotaAvailable");
    await createClaim("second", 1);
    await expectDecision("second", "False QuotaExceeded");
    await change("base", 2);
    await shows({ limit: 2, available: 1 });
    await createClaim("third", 1);
    await expectDecision("third", "True QuotaAvailable");
  });

  it("revoke no claims when they are lowered; usage over the limit is shown until claims are deleted", async () => {
    await give("base", 5);
    for (const name of ["a", "b", "c", "d"]) await createClaim(name, 1);
    for (const name of ["a", "b", "c", "d"]) await expectDecision(name, "True QuotaAvailable");
    await change("base", 2);
    await shows({ limit: 2, allocated: 4, available: 0, overage: 2 });
    expect(await isOverLimit()).toBe("True LimitLowered");
    for (const name of ["a", "b", "c", "d"]) expect(await system.answer(name)).toBe("True QuotaAvailable");
    for (const name of ["a", "b", "c"]) await system.delete(claimsType, name);
    await shows({ limit: 2, allocated: 1, available: 1, overage: 0 });
    expect(await isOverLimit()).toBe("False WithinLimit");
  });

  it("count until they expire", async () => {
    await give("base", 1);
    const inAMinute = new Date(system.clock.now() + 60_000).toISOString().replace(".000Z", "Z");
    await give("trial", 10, { expiresAt: inAMinute });
    await shows({ limit: 11, grantCount: 2 });
    await createClaim("six", 6);
    await expectDecision("six", "True QuotaAvailable");
    await system.pass(60_000);
    await shows({ limit: 1, allocated: 6, available: 0, overage: 5, grantCount: 1 });
    await system.eventually(async () => {
      const condition = conditionOf(await system.find(grantsType, "trial"), "Active");
      expect(condition).toMatchObject({ status: "False", reason: "GrantExpired" });
    });
    await createClaim("late", 1);
    await expectDecision("late", "False QuotaExceeded");
    expect(await system.answer("six")).toBe("True QuotaAvailable");
  });

  it("report that they are active and their amounts", async () => {
    await give("base", 3);
    await system.eventually(async () => {
      const found = await system.find(grantsType, "base");
      const active = { status: "True", reason: "GrantActive", message: "ResourceGrant is active" };
      expect(conditionOf(found, "Active")).toEqual(active);
      expect((found?.["status"] as Json | undefined)?.["amounts"]).toContain("3");
    });
  });
});

describe("a bucket", () => {
  it("shows the limit before the first claim, and is deleted with the last grant and claim", async () => {
    expect(await system.figures(organization, projectsType)).toBeUndefined();
    await give("base", 3);
    await shows({ limit: 3, allocated: 0, reserved: 0, available: 3, overage: 0, claimCount: 0 });
    await createClaim("one", 1);
    await expectDecision("one", "True QuotaAvailable");
    await system.delete(grantsType, "base");
    await shows({ limit: 0, allocated: 1, available: 0, overage: 1 });
    await system.delete(claimsType, "one");
    await system.eventually(async () => expect(await system.figures(organization, projectsType)).toBeUndefined());
    await give("again", 2);
    await shows({ limit: 2, allocated: 0, available: 2 });
  });

  it("is created for the first claim without a grant, and deleted with it", async () => {
    await createClaim("hopeless", 1);
    await expectDecision("hopeless", "False QuotaExceeded");
    await system.delete(claimsType, "hopeless");
    await system.eventually(async () => expect(await system.figures(organization, projectsType)).toBeUndefined());
  });

  it("is not written while nothing changes", async () => {
    await give("base", 3);
    await createClaim("one", 1);
    await shows({ allocated: 1, reserved: 0 });
    await system.pass(5_000);
    const before = system.server.registry.store.revision;
    await system.pass(30_000);
    expect(system.server.registry.store.revision).toBe(before);
  });
});
