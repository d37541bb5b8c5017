import { namespacesType } from "@milo-quota/kubernetes/client/resources/namespaces.ts";
import { failure, StatusError } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { bucketsType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, QuotaWorld, registration } from "../grants/quota-world.ts";
import { claim, decisionOf } from "./claims.ts";

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
const bucketStatus = async (resourceType = "projects") =>
  (await world.find(bucketsType, bucketName(acme, resourceType), { namespace: "milo-system" }))?.["status"];

describe("a claim", () => {
  it("is granted if it fits, and denied with the numbers if not", async () => {
    await world.create(grantsType, grant("three"));
    await world.eventually(async () => expect(await bucketStatus()).toMatchObject({ limit: 3, available: 3 }));
    await world.create(claimsType, claim("two", { amount: 2 }));
    await world.eventually(async () => expect(await decisionOf(world, "two")).toBe("True QuotaAvailable"));
    await world.create(claimsType, claim("more", { amount: 2 }));
    await world.eventually(async () => expect(await decisionOf(world, "more")).toBe("False QuotaExceeded"));
    await world.eventually(async () =>
      expect(await bucketStatus()).toMatchObject({ limit: 3, allocated: 2, reserved: 0, available: 1, claimCount: 1 }),
    );
    expect(world.reported).toEqual([]);
  });

  it("releases its allocation when it is deleted", async () => {
    await world.create(grantsType, grant("three"));
    await world.create(claimsType, claim("all", { amount: 3 }));
    await world.eventually(async () => expect(await decisionOf(world, "all")).toBe("True QuotaAvailable"));
    await world.delete(claimsType, "all");
    await world.create(claimsType, claim("again", { amount: 3 }));
    await world.eventually(async () => expect(await decisionOf(world, "again")).toBe("True QuotaAvailable"));
  });

  it("waits for its registration", async () => {
    await world.create(claimsType, claim("early", { resourceType: "cpus" }));
    await world.eventually(async () => expect(await decisionOf(world, "early")).toBe("False ValidationFailed"));
    await world.create(registrationsType, registration("cpus"));
    await world.eventually(async () => expect(await decisionOf(world, "early")).toBe("False QuotaExceeded"));
  });

  it("reports a missing namespace of its bucket, and is decided when it exists", async () => {
    const consumerType = { apiGroup: "example.com", kind: "Team" };
    await world.create(registrationsType, registration("seats", { consumerType }));
    const requested = claim("early", { resourceType: "seats" });
    const consumerRef = { ...consumerType, name: "a", namespace: "team-a" };
    await world.create(claimsType, { ...requested, spec: { ...(requested["spec"] as object), consumerRef } });
    await world.eventually(async () => expect(await decisionOf(world, "early")).toBe("False ValidationFailed"));
    await world.create(namespacesType, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team-a" } });
    await world.eventually(async () => expect(await decisionOf(world, "early")).toBe("False QuotaExceeded"));
  });

  it("gets all its requests or none", async () => {
    await world.create(registrationsType, registration("cpus"));
    await world.create(grantsType, grant("three"));
    await world.create(claimsType, claim("both", {}, { resourceType: "cpus" }));
    await world.eventually(async () => expect(await decisionOf(world, "both")).toBe("False QuotaExceeded"));
    await world.pass(2_000);
    expect(await bucketStatus()).toMatchObject({ allocated: 0, reserved: 0 });
  });
});

describe("a claim whose status cannot be written", () => {
  beforeEach(async () => {
    await world.create(grantsType, grant("three"));
    await world.eventually(async () => expect(await bucketStatus()).toMatchObject({ limit: 3 }));
    world.intercept = ({ method, path }) => {
      if (method === "PATCH" && path.endsWith("/stuck/status"))
        throw new StatusError(failure("Forbidden", "not this one"));
    };
    await world.create(claimsType, claim("stuck", { amount: 2 }));
    await world.pass(1_000);
  });

  it("keeps its reservation and does not block other claims", async () => {
    await world.create(claimsType, claim("fits"));
    await world.create(claimsType, claim("too-much", { amount: 2 }));
    await world.eventually(async () => expect(await decisionOf(world, "fits")).toBe("True QuotaAvailable"));
    await world.eventually(async () => expect(await decisionOf(world, "too-much")).toBe("False QuotaExceeded"));
    expect(await decisionOf(world, "stuck")).toBe("False PendingEvaluation");
    await world.eventually(async () => expect(await bucketStatus()).toMatchObject({ allocated: 1, reserved: 2 }));
    expect(world.reported.join()).toContain("not this one");
  });

  it("is decided when its status can be written again", async () => {
    world.intercept = () => undefined;
    await world.eventually(async () => expect(await decisionOf(world, "stuck")).toBe("True QuotaAvailable"));
    await world.eventually(async () => expect(await bucketStatus()).toMatchObject({ allocated: 2, reserved: 0 }));
  });
});

describe("a ledger bucket", () => {
  it("is deleted without grants and claims", async () => {
    await world.create(grantsType, grant("three"));
    await world.create(claimsType, claim("one"));
    await world.eventually(async () => expect(await decisionOf(world, "one")).toBe("True QuotaAvailable"));
    await world.delete(grantsType, "three");
    await world.eventually(async () =>
      expect(await bucketStatus()).toMatchObject({ limit: 0, overage: 1, available: 0 }),
    );
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
    await world.eventually(async () => expect(await bucketStatus()).toMatchObject({ limit: 50 }));
    world.writes.length = 0;
    const names = Array.from({ length: 100 }, (_, at) => `claim-${at}`);
    await Promise.all(names.map((name) => world.create(claimsType, claim(name))));
    await world.eventually(async () =>
      expect(await bucketStatus()).toMatchObject({ allocated: 50, reserved: 0, claimCount: 50 }),
    );
    const answers = await Promise.all(names.map((name) => decisionOf(world, name)));
    expect(answers.filter((answer) => answer === "True QuotaAvailable")).toHaveLength(50);
    expect(answers.filter((answer) => answer === "False QuotaExceeded")).toHaveLength(50);
    expect(world.writes.filter((write) => write.includes("allowancebuckets")).length).toBeLessThan(12);
    expect(world.reported).toEqual([]);
  });

  it("is not written again while another bucket of its consumer is still being written", async () => {
    await world.create(registrationsType, registration("cpus"));
    const buckets = [{ amount: 3 }];
    const allowances = ["projects", "cpus"].map((resourceType) => ({ resourceType, buckets }));
    await world.create(grantsType, grant("both", { allowances }));
    await world.eventually(async () => expect(await bucketStatus("cpus")).toMatchObject({ limit: 3 }));
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const begun: string[] = [];
    world.intercept = ({ method, path }) => {
      const type = ["projects", "cpus"].find((each) => path.endsWith(`/${bucketName(acme, each)}/status`));
      if (method !== "PUT" || type === undefined) return;
      begun.push(type);
      if (type === "cpus") throw new StatusError(failure("Forbidden", "not now"));
      return held;
    };
    await world.create(claimsType, claim("both", {}, { resourceType: "cpus" }));
    await world.pass(3_000);
    expect(begun.sort()).toEqual(["cpus", "projects"]);
    world.intercept = () => undefined;
    letGo();
    await world.eventually(async () => expect(await decisionOf(world, "both")).toBe("True QuotaAvailable"));
  });
});
