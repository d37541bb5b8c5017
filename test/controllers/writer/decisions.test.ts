import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { bucketsType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, QuotaWorld, registration } from "../grants/quota-world.ts";
import { answerTo, claim } from "./claims.ts";

let world: QuotaWorld;

beforeEach(async () => {
  world = await QuotaWorld.start(["root", "project-a"]);
  const controllers = new Controllers({ runtime: world.runtime, leadership: "alone" });
  controllers.start();
  world.run(controllers);
  await world.create(registrationsType, registration("projects"));
});

afterEach(() => world.stop());

const acme = { ...organization, namespace: "", name: "acme" };
const page = async (resourceType = "projects") =>
  (await world.find(bucketsType, bucketName(acme, resourceType), { namespace: "milo-system" }))?.["status"];

describe("a claim", () => {
  it("is granted what fits, and denied what does not, with the numbers", async () => {
    await world.create(grantsType, grant("three"));
    await world.eventually(async () => expect(await page()).toMatchObject({ limit: 3, available: 3 }));
    await world.create(claimsType, claim("two", { amount: 2 }));
    await world.eventually(async () => expect(await answerTo(world, "two")).toBe("True QuotaAvailable"));
    await world.create(claimsType, claim("more", { amount: 2 }));
    await world.eventually(async () => expect(await answerTo(world, "more")).toBe("False QuotaExceeded"));
    await world.eventually(async () =>
      expect(await page()).toMatchObject({ limit: 3, allocated: 2, reserved: 0, available: 1, claimCount: 1 }),
    );
    expect(world.reported).toEqual([]);
  });

  it("frees what it held when it is deleted", async () => {
    await world.create(grantsType, grant("three"));
    await world.create(claimsType, claim("all", { amount: 3 }));
    await world.eventually(async () => expect(await answerTo(world, "all")).toBe("True QuotaAvailable"));
    await world.delete(claimsType, "all");
    await world.create(claimsType, claim("again", { amount: 3 }));
    await world.eventually(async () => expect(await answerTo(world, "again")).toBe("True QuotaAvailable"));
  });

  it("waits for a registration, and is then decided", async () => {
    await world.create(claimsType, claim("early", { resourceType: "cpus" }));
    await world.eventually(async () => expect(await answerTo(world, "early")).toBe("False ValidationFailed"));
    await world.create(registrationsType, registration("cpus"));
    await world.eventually(async () => expect(await answerTo(world, "early")).toBe("False QuotaExceeded"));
  });

  it("is told when there is no place for its page, and decided when there is", async () => {
    const consumerType = { apiGroup: "example.com", kind: "Team" };
    await world.create(registrationsType, registration("seats", { consumerType }));
    const asked = claim("early", { resourceType: "seats" });
    const consumerRef = { ...consumerType, name: "a", namespace: "team-a" };
    await world.create(claimsType, { ...asked, spec: { ...(asked["spec"] as object), consumerRef } });
    await world.eventually(async () => expect(await answerTo(world, "early")).toBe("False ValidationFailed"));
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } });
    await world.eventually(async () => expect(await answerTo(world, "early")).toBe("False QuotaExceeded"));
  });

  it("gets all it asks for or nothing", async () => {
    await world.create(registrationsType, registration("cpus"));
    await world.create(grantsType, grant("three"));
    await world.create(claimsType, claim("both", {}, { resourceType: "cpus" }));
    await world.eventually(async () => expect(await answerTo(world, "both")).toBe("False QuotaExceeded"));
    await world.pass(2_000);
    expect(await page()).toMatchObject({ allocated: 0, reserved: 0 });
  });
});

describe("a claim that cannot be answered", () => {
  beforeEach(async () => {
    await world.create(grantsType, grant("three"));
    await world.eventually(async () => expect(await page()).toMatchObject({ limit: 3 }));
    world.meddle = ({ method, path }) => {
      if (method === "PATCH" && path.endsWith("/stuck/status"))
        throw new StatusError(failure("Forbidden", "not this one"));
    };
    await world.create(claimsType, claim("stuck", { amount: 2 }));
    await world.pass(1_000);
  });

  it("keeps its promise, and keeps nobody else from an answer", async () => {
    await world.create(claimsType, claim("fits"));
    await world.create(claimsType, claim("too-much", { amount: 2 }));
    await world.eventually(async () => expect(await answerTo(world, "fits")).toBe("True QuotaAvailable"));
    await world.eventually(async () => expect(await answerTo(world, "too-much")).toBe("False QuotaExceeded"));
    expect(await answerTo(world, "stuck")).toBe("False PendingEvaluation");
    await world.eventually(async () => expect(await page()).toMatchObject({ allocated: 1, reserved: 2 }));
    expect(world.reported.join()).toContain("not this one");
  });

  it("is answered once it can be", async () => {
    world.meddle = () => undefined;
    await world.eventually(async () => expect(await answerTo(world, "stuck")).toBe("True QuotaAvailable"));
    await world.eventually(async () => expect(await page()).toMatchObject({ allocated: 2, reserved: 0 }));
  });
});

describe("a page", () => {
  it("goes when neither grant nor claim names it", async () => {
    await world.create(grantsType, grant("three"));
    await world.create(claimsType, claim("one"));
    await world.eventually(async () => expect(await answerTo(world, "one")).toBe("True QuotaAvailable"));
    await world.delete(grantsType, "three");
    await world.eventually(async () => expect(await page()).toMatchObject({ limit: 0, overage: 1, available: 0 }));
    await world.delete(claimsType, "one");
    await world.eventually(async () =>
      expect(await world.find(bucketsType, bucketName(acme, "projects"), { namespace: "milo-system" })).toBe(undefined),
    );
    expect(world.reported).toEqual([]);
  });

  it("is written once for many claims", async () => {
    await world.create(
      grantsType,
      grant("many", { allowances: [{ resourceType: "projects", buckets: [{ amount: 50 }] }] }),
    );
    await world.eventually(async () => expect(await page()).toMatchObject({ limit: 50 }));
    world.writes.length = 0;
    const names = Array.from({ length: 100 }, (_, at) => `claim-${at}`);
    await Promise.all(names.map((name) => world.create(claimsType, claim(name))));
    await world.eventually(async () =>
      expect(await page()).toMatchObject({ allocated: 50, reserved: 0, claimCount: 50 }),
    );
    const answers = await Promise.all(names.map((name) => answerTo(world, name)));
    expect(answers.filter((answer) => answer === "True QuotaAvailable")).toHaveLength(50);
    expect(answers.filter((answer) => answer === "False QuotaExceeded")).toHaveLength(50);
    expect(world.writes.filter((write) => write.includes("allowancebuckets")).length).toBeLessThan(12);
    expect(world.reported).toEqual([]);
  });

  it("is not written again while another page of its consumer is still being written", async () => {
    await world.create(registrationsType, registration("cpus"));
    const buckets = [{ amount: 3 }];
    const allowances = ["projects", "cpus"].map((resourceType) => ({ resourceType, buckets }));
    await world.create(grantsType, grant("both", { allowances }));
    await world.eventually(async () => expect(await page("cpus")).toMatchObject({ limit: 3 }));
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const begun: string[] = [];
    world.meddle = ({ method, path }) => {
      const type = ["projects", "cpus"].find((each) => path.endsWith(`/${bucketName(acme, each)}/status`));
      if (method !== "PUT" || type === undefined) return;
      begun.push(type);
      if (type === "cpus") throw new StatusError(failure("Forbidden", "not now"));
      return held;
    };
    await world.create(claimsType, claim("both", {}, { resourceType: "cpus" }));
    await world.pass(3_000);
    expect(begun.sort()).toEqual(["cpus", "projects"]);
    world.meddle = () => undefined;
    letGo();
    await world.eventually(async () => expect(await answerTo(world, "both")).toBe("True QuotaAvailable"));
  });
});
