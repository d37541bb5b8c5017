import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { bucketsType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { QuotaSystem } from "./quota-system.ts";

const granted = "True QuotaAvailable";
const pending = "False PendingEvaluation";

let system: QuotaSystem;
/** How often buckets were looked at. */
let rounds: number;
/** Called when an answer is about to be written: what it is for is reserved by then. */
let onAnswer: () => void | Promise<void>;

/** Only before the first answer. */
function beforeAnswer(happens: () => void | Promise<void>): void {
  onAnswer = () => {
    onAnswer = () => undefined;
    return happens();
  };
}

beforeEach(async () => {
  rounds = 0;
  onAnswer = () => undefined;
  const meddle = async ({ method, path }: Call): Promise<void> => {
    if (method !== "PATCH" || !path.includes("/resourceclaims/") || !path.endsWith("/status")) return;
    await onAnswer();
  };
  const toldQueues = (queue: string) => ({
    worked: () => {
      if (queue === "buckets") rounds += 1;
    },
  });
  system = await QuotaSystem.start({ meddle, toldQueues });
  await system.create(registrationsType, registration(projectsType));
  await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
  await system.eventually(async () => expect(await figures()).toMatchObject({ limit: 100 }));
});

afterEach(() => system.stop());

function figures(): Promise<unknown> {
  return system.figures(organization, projectsType);
}

const one = (name: string) => claim(name, organization, [{ resourceType: projectsType, amount: 1 }]);

/** Makes a claim, and lets happen what needs no time. */
async function make(name: string): Promise<void> {
  await system.create(claimsType, one(name));
  await system.rest();
}

describe("the answer to a claim", () => {
  it("comes at once, and its bucket says a moment later that it is allocated", async () => {
    await make("a");
    expect([await system.answer("a"), await figures()]).toMatchObject([granted, { allocated: 0, reserved: 1 }]);
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 1, reserved: 0 });
  });

  it("counts, to whoever is denied, what was granted before", async () => {
    await make("a");
    await system.create(claimsType, claim("b", organization, [{ resourceType: projectsType, amount: 100 }]));
    await system.rest();
    expect([await system.answer("a"), await system.answer("b")]).toEqual([granted, "False QuotaExceeded"]);
    const denied = await system.find(claimsType, "b");
    expect(JSON.stringify(denied)).toContain("limit 100, allocated 1, reserved 0, available 99");
  });

  it("is no reason to look at its bucket at once: claim after claim takes one look each", async () => {
    await make("first");
    const before = rounds;
    for (const name of ["a", "b", "c", "d"]) await make(name);
    expect(rounds - before).toBe(4);
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 5, reserved: 0 });
  });
});

describe("what is reserved for a claim that has no answer yet", () => {
  it("is granted by the next replica, when the one that reserved it ended", async () => {
    let isEnding = (): void => undefined;
    const ending = new Promise<void>((resolve) => {
      isEnding = resolve;
    });
    onAnswer = () => {
      isEnding();
      throw new Error("the process ends");
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

  it("is free again when the claim is deleted before it is answered", async () => {
    beforeAnswer(() => system.delete(claimsType, "a"));
    await make("a");
    await system.pass(1_500);
    expect([await system.answer("a"), await figures()]).toMatchObject([undefined, { allocated: 0, reserved: 0 }]);
  });

  it("is not for another claim of the name: that one is decided by itself", async () => {
    beforeAnswer(async () => {
      await system.delete(claimsType, "a");
      await system.create(claimsType, one("a"));
    });
    await make("a");
    await system.eventually(async () => expect(await system.answer("a")).toBe(granted));
    await system.pass(1_500);
    expect(await figures()).toMatchObject({ allocated: 1, reserved: 0 });
  });

  it("is granted although its type is not registered any more", async () => {
    beforeAnswer(async () => {
      const [{ metadata }] = (await system.list(registrationsType)) as [{ metadata: { name: string } }];
      await system.delete(registrationsType, metadata.name);
      throw new Error("not now");
    });
    await make("a");
    await system.eventually(async () => expect(await system.answer("a")).toBe(granted));
  });

  it("is granted although another writer has written the bucket meanwhile", async () => {
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
