import { claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, expect, it } from "vitest";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { conditionOf, type Json, statusOf, TestSystem } from "./test-system.ts";

let system: TestSystem;

afterEach(() => system.stop());

const one = (name: string): Json => claim(name, organization, [{ resourceType: projectsType, amount: 1 }]);

/** Number of claims by decision. */
async function decisionCounts(): Promise<Record<string, number>> {
  const reasons = (await system.list(claimsType)).map((each) => conditionOf(each, "Granted")?.reason ?? "none");
  return Object.fromEntries(
    [...new Set(reasons)].map((reason) => [reason, reasons.filter((each) => each === reason).length]),
  );
}

async function start(replicas: number): Promise<void> {
  system = await TestSystem.start({ replicas });
  await system.create(registrationsType, registration(projectsType));
  await system.create(grantsType, grant("base", organization, { [projectsType]: 600 }));
  await system.create(grantsType, grant("extra", organization, { [projectsType]: 400 }));
}

it("grants exactly 1,000 of 3,000 concurrent claims for 1,000 units", async () => {
  await start(1);
  await Promise.all(Array.from({ length: 3_000 }, (_, at) => system.create(claimsType, one(`claim-${at}`))));
  await system.eventually(async () =>
    expect(await decisionCounts()).toEqual({ QuotaAvailable: 1_000, QuotaExceeded: 2_000 }),
  );
  await system.eventually(async () =>
    expect(await system.figures(organization, projectsType)).toMatchObject({
      limit: 1_000,
      allocated: 1_000,
      reserved: 0,
      available: 0,
      overage: 0,
      claimCount: 1_000,
    }),
  );
  // Events are rate limited, so not every denial has one.
  expect(system.reported.filter((what) => !what.startsWith("events: "))).toEqual([]);
});

it("grants released units again, and never more than the limit", async () => {
  await start(1);
  let created = 0;
  const churn = async (): Promise<void> => {
    for (let round = 0; round < 12; round += 1) {
      created += 1;
      const name = `claim-${created}`;
      await system.create(claimsType, one(name));
      if (round % 3 === 2) await system.delete(claimsType, name);
    }
  };
  await Promise.all(Array.from({ length: 150 }, churn));
  await system.eventually(async () => expect((await decisionCounts())["PendingEvaluation"]).toBeUndefined());
  const { QuotaAvailable: granted = 0 } = await decisionCounts();
  expect(granted).toBeLessThanOrEqual(1_000);
  await system.eventually(async () =>
    expect(await system.figures(organization, projectsType)).toMatchObject({
      allocated: granted,
      reserved: 0,
      available: 1_000 - granted,
    }),
  );
});

it("loses nothing when the leader is stopped and another replica takes over", async () => {
  await start(2);
  const claims = Array.from({ length: 1_500 }, (_, at) => system.create(claimsType, one(`claim-${at}`)));
  await system.eventually(async () => expect((await decisionCounts())["QuotaAvailable"] ?? 0).toBeGreaterThan(0));
  const [first, second] = system.controllers;
  await Promise.all([...claims, first?.stop(), system.pass(3_000)]);
  await system.eventually(async () =>
    expect(await decisionCounts()).toEqual({ QuotaAvailable: 1_000, QuotaExceeded: 500 }),
  );
  await Promise.all([second?.stop(), system.pass(3_000)]);
  system.startReplica("elected");
  await system.create(claimsType, one("after"));
  await system.eventually(async () => expect(await system.answer("after")).toBe("False QuotaExceeded"));
  const held = (await system.list(claimsType)).flatMap((each) => (statusOf(each)["allocations"] ?? []) as Json[]);
  const sum = held.reduce((total, each) => total + Number(each["allocatedAmount"] ?? 0), 0);
  expect(sum).toBe(1_000);
});
