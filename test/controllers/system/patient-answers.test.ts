import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bucketsType, claimsType, grantsType, registrationsType } from "../../../src/controllers/quota-types.ts";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { QuotaSystem } from "./quota-system.ts";

const granted = "True QuotaAvailable";
const pending = "False PendingEvaluation";

let system: QuotaSystem;
let promised: string[];
let isAwaited: boolean;
/** How often buckets were looked at. */
let rounds: number;

beforeEach(async () => {
  promised = [];
  isAwaited = true;
  const hear = (uid: string): boolean => promised.push(uid) > 0 && isAwaited;
  rounds = 0;
  const count = (queue: string) => ({
    worked: () => {
      if (queue === "buckets") rounds += 1;
    },
  });
  system = await QuotaSystem.start({ promised: hear, toldQueues: count });
  await system.create(registrationsType, registration(projectsType));
  await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
  await system.eventually(async () => expect(await figures()).toMatchObject({ limit: 100 }));
});

afterEach(() => system.stop());

function figures(): Promise<unknown> {
  return system.figures(organization, projectsType);
}

const one = (name: string) => claim(name, organization, [{ resourceType: projectsType, amount: 1 }]);

/** Makes claims at once, and lets happen what needs no time. */
async function make(...names: readonly string[]): Promise<void> {
  await Promise.all(names.map((name) => system.create(claimsType, one(name))));
  await system.rest();
}

describe("the answer to a claim whose waiter knows that it is promised", () => {
  it("is given together with seven others", async () => {
    const names = Array.from({ length: 8 }, (_, at) => `claim-${at}`);
    const answers = (): Promise<unknown> => Promise.all(names.map((name) => system.answer(name)));
    for (const name of names.slice(0, -1)) await make(name);
    await system.pass(1);
    expect([await answers(), promised.length]).toEqual([[...Array(7).fill(pending), undefined], 7]);
    await make(names.at(-1) as string);
    await system.pass(1);
    expect([await answers(), promised.length]).toEqual([Array(8).fill(granted), 8]);
  });

  it("is given before anybody is denied, who is told what is granted by then", async () => {
    await make("a");
    expect(await system.answer("a")).toBe(pending);
    await system.create(claimsType, claim("b", organization, [{ resourceType: projectsType, amount: 100 }]));
    await system.rest();
    expect([await system.answer("a"), await system.answer("b")]).toEqual([granted, "False QuotaExceeded"]);
    const denied = await system.find(claimsType, "b");
    expect(JSON.stringify(denied)).toContain("limit 100, allocated 1, reserved 0, available 99");
  });

  it("is given after a moment, when there is nothing else to write", async () => {
    await make("a");
    await system.pass(49);
    expect([await system.answer("a"), await figures()]).toMatchObject([pending, { allocated: 0, reserved: 1 }]);
    await system.pass(1);
    expect(await system.answer("a")).toBe(granted);
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 1, reserved: 0 });
  });

  it("is no reason to look at its bucket at once: claim after claim takes one look each", async () => {
    await make("first");
    const before = rounds;
    for (const name of ["a", "b", "c", "d"]) await make(name);
    expect(rounds - before).toBe(4);
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 5, reserved: 0 });
  });

  it("is given in the next turn, where many are company for each other", async () => {
    const names = Array.from({ length: 8 }, (_, at) => `claim-${at}`);
    await make(...names);
    await system.pass(1);
    expect(await Promise.all(names.map((name) => system.answer(name)))).toEqual(names.map(() => granted));
  });

  it("is given by whoever comes next, when its writer ended", async () => {
    await make("a");
    for (const controllers of system.controllers.splice(0)) await controllers.stop();
    expect(await system.answer("a")).toBe(pending);
    system.startReplica("alone");
    await system.eventually(async () => expect(await system.answer("a")).toBe(granted));
  });

  it("is not given to one that is gone by then, and what was promised comes back", async () => {
    await make("a");
    await system.delete(claimsType, "a");
    await system.pass(1_500);
    expect([await system.answer("a"), await figures()]).toMatchObject([undefined, { allocated: 0, reserved: 0 }]);
  });

  it("is not given to another one of its name", async () => {
    await make("a");
    await system.delete(claimsType, "a");
    const { metadata } = (await system.create(claimsType, one("a"))) as { metadata: { uid: string } };
    await system.eventually(async () => expect(await system.answer("a")).toBe(granted));
    expect([promised.length, promised.at(-1)]).toEqual([2, metadata.uid]);
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 1, reserved: 0 });
  });

  it("is what was promised, though nothing of the type could be promised any more", async () => {
    await make("a");
    const [{ metadata }] = (await system.list(registrationsType)) as [{ metadata: { name: string } }];
    await system.delete(registrationsType, metadata.name);
    await system.rest();
    expect(await system.answer("a")).toBe(pending);
    await system.pass(50);
    expect(await system.answer("a")).toBe(granted);
  });

  it("is given once somebody else has written the page meanwhile", async () => {
    await make("a");
    const [bucket] = await system.list(bucketsType, { namespace: "milo-system" });
    const { name } = (bucket as { metadata: { name: string } }).metadata;
    await system.patch(bucketsType, name, { metadata: { labels: { touched: "yes" } } }, { namespace: "milo-system" });
    await make("b");
    await system.eventually(async () => {
      expect([await system.answer("a"), await system.answer("b")]).toEqual([granted, granted]);
    });
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 2, reserved: 0 });
  });
});

it("a claim that nobody waits for is answered at once", async () => {
  isAwaited = false;
  await make("a");
  expect([await system.answer("a"), promised.length]).toEqual([granted, 1]);
});
