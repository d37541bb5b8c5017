import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { bucketsType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { TestSystem } from "./test-system.ts";

const granted = "True QuotaAvailable";
const pending = "False PendingEvaluation";

let system: TestSystem;
/** Number of batches of the bucket writer. */
let rounds: number;
/** Called before a claim status is written, when its reservations are stored. */
let onAnswer: () => void | Promise<void>;

/** Runs once, before the first status write. */
function beforeAnswer(happens: () => void | Promise<void>): void {
  onAnswer = () => {
    onAnswer = () => undefined;
    return happens();
  };
}

beforeEach(async () => {
  rounds = 0;
  onAnswer = () => undefined;
  const intercept = async ({ method, path }: Call): Promise<void> => {
    if (method !== "PATCH" || !path.includes("/resourceclaims/") || !path.endsWith("/status")) return;
    await onAnswer();
  };
  const queueObservers = (queue: string) => ({
    onFinished: () => {
      if (queue === "buckets") rounds += 1;
    },
  });
  system = await TestSystem.start({ intercept, queueObservers });
  await system.create(registrationsType, registration(projectsType));
  await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
  await system.eventually(async () => expect(await figures()).toMatchObject({ limit: 100 }));
});

afterEach(() => system.stop());

function figures(): Promise<unknown> {
  return system.figures(organization, projectsType);
}

const one = (name: string) => claim(name, organization, [{ resourceType: projectsType, amount: 1 }]);

/** Creates a claim and lets the system work without advancing the clock. */
async function make(name: string): Promise<void> {
  await system.create(claimsType, one(name));
  await system.rest();
}

describe("the decision of a claim", () => {
  it("is written immediately, and the bucket counts it a moment later", async () => {
    await make("a");
    expect([await system.answer("a"), await figures()]).toMatchObject([granted, { allocated: 0, reserved: 1 }]);
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 1, reserved: 0 });
  });

  it("counts earlier grants when another claim is denied", async () => {
    await make("a");
    await system.create(claimsType, claim("b", organization, [{ resourceType: projectsType, amount: 100 }]));
    await system.rest();
    expect([await system.answer("a"), await system.answer("b")]).toEqual([granted, "False QuotaExceeded"]);
    const denied = await system.find(claimsType, "b");
    expect(JSON.stringify(denied)).toContain("limit 100, allocated 1, reserved 0, available 99");
  });

  it("does not trigger another batch: consecutive claims take one batch each", async () => {
    await make("first");
    const before = rounds;
    for (const name of ["a", "b", "c", "d"]) await make(name);
    expect(rounds - before).toBe(4);
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 5, reserved: 0 });
  });
});

describe("the reservation of a pending claim", () => {
  it("is granted by the next leader after a crash", async () => {
    let isEnding = (): void => undefined;
    const ending = new Promise<void>((resolve) => {
      isEnding = resolve;
    });
    onAnswer = () => {
      isEnding();
      throw new Error("the process crashes");
    };
    await system.create(claimsType, one("a"));
    await ending;
    for (const controllers of system.controllers.splice(0)) await controllers.stop();
    expect([await system.answer("a"), await figures()]).toMatchObject([pending, { reserved: 1 }]);
    onAnswer = () => undefined;
    system.startReplica("alone");
    await system.eventually(async () => expect(await system.answer("a")).toBe(granted));
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 1, reserved: 0 });
  });

  it("is released if the claim is deleted before the decision", async () => {
    beforeAnswer(() => system.delete(claimsType, "a"));
    await make("a");
    await system.pass(1_500);
    expect([await system.answer("a"), await figures()]).toMatchObject([undefined, { allocated: 0, reserved: 0 }]);
  });

  it("is not used for another claim of the same name", async () => {
    beforeAnswer(async () => {
      await system.delete(claimsType, "a");
      await system.create(claimsType, one("a"));
    });
    await make("a");
    await system.eventually(async () => expect(await system.answer("a")).toBe(granted));
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 1, reserved: 0 });
  });

  it("is granted although its type is no longer registered", async () => {
    beforeAnswer(async () => {
      const [{ metadata }] = (await system.list(registrationsType)) as [{ metadata: { name: string } }];
      await system.delete(registrationsType, metadata.name);
      throw new Error("not now");
    });
    await make("a");
    await system.eventually(async () => expect(await system.answer("a")).toBe(granted));
  });

  it("is granted although another writer has updated the bucket meanwhile", async () => {
    beforeAnswer(async () => {
      const [bucket] = await system.list(bucketsType, { namespace: "milo-system" });
      const { name } = (bucket as { metadata: { name: string } }).metadata;
      await system.patch(bucketsType, name, { metadata: { labels: { touched: "yes" } } }, { namespace: "milo-system" });
    });
    await make("a");
    await make("b");
    await system.eventually(async () => {
      expect([await system.answer("a"), await system.answer("b")]).toEqual([granted, granted]);
    });
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 2, reserved: 0 });
  });
});
