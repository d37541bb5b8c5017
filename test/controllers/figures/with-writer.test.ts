import { FigureViewController } from "@milo-quota/quota/controllers/figures/figure-view-controller.ts";
import { GrantController } from "@milo-quota/quota/controllers/grant-controller.ts";
import { RegistrationController } from "@milo-quota/quota/controllers/registration-controller.ts";
import { BucketWriter } from "@milo-quota/quota/controllers/writer/bucket-writer.ts";
import { ForcedClaims } from "@milo-quota/quota/controllers/writer/claims/forced-claims.ts";
import { bucketName, effectiveGrantName } from "@milo-quota/quota/core/resources/object-names.ts";
import {
  bucketsType,
  claimsType,
  effectiveGrantsType,
  grantsType,
  registrationsType,
} from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, QuotaWorld, registration } from "../grants/quota-world.ts";

type Json = Record<string, unknown>;

const consumer = { ...organization, namespace: "", name: "acme" };
const place = { namespace: "milo-system" };

let world: QuotaWorld;

beforeEach(async () => {
  world = await QuotaWorld.start();
});
afterEach(() => world.stop());

function startControllers(): void {
  const { runtime, views } = world;
  world.run(new RegistrationController(runtime, views));
  world.run(new GrantController(runtime, views));
  const leadership = { fence: () => undefined };
  const figures = new FigureViewController(runtime, views, leadership);
  const registrations = views.registrationIndex;
  const forced = new ForcedClaims();
  const writer = new BucketWriter({
    runtime,
    views,
    registrations,
    forced,
    leadership,
    figures,
  });
  world.run(writer);
  world.run(figures);
  void writer.ready.then(() => figures.sweep((key) => writer.knows(key)));
}

const statusOf = (object: Json | undefined): Json => (object?.["status"] ?? {}) as Json;
const total = () => world.find(effectiveGrantsType, effectiveGrantName(consumer, "cpu"), place);
const bucket = (dimensions?: Record<string, string>) =>
  world.find(bucketsType, bucketName(consumer, "cpu", dimensions), place);

function claim(name: string, amount: number, zone: string): Json {
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name, namespace: "default" },
    spec: {
      consumerRef: { ...organization, name: "acme" },
      requests: [{ resourceType: "cpu", amount, dimensions: { zone } }],
    },
  };
}

describe("figure views with the bucket writer", () => {
  it("follow grants and claims", async () => {
    startControllers();
    await world.create(registrationsType, registration("cpu", { dimensions: ["zone"], type: "Allocation" }));
    const buckets = [{ amount: 100 }, { amount: 50, dimensionSelector: { matchLabels: { zone: "DLS" } } }];
    await world.create(grantsType, grant("cpu", { allowances: [{ resourceType: "cpu", buckets }] }));
    await world.eventually(async () => {
      expect(statusOf(await bucket())).toMatchObject({ limit: 150, allocated: 0 });
      expect(statusOf(await bucket({ zone: "DLS" }))).toMatchObject({ limit: 150, allocated: 0, grantCount: 1 });
      expect(statusOf(await total())).toMatchObject({ totalLimit: 150, available: 150 });
    });
    await world.create(claimsType, claim("a", 60, "DLS"));
    await world.create(claimsType, claim("b", 70, "DFW"));
    await world.create(claimsType, claim("c", 40, "DFW"));
    await world.eventually(async () => {
      expect(statusOf(await total())).toMatchObject({ totalAllocated: 130, totalReserved: 0, available: 20 });
      expect(statusOf(await bucket({ zone: "DFW" }))).toMatchObject({ limit: 100, allocated: 70, available: 20 });
      expect(statusOf(await bucket({ zone: "DLS" }))).toMatchObject({ allocated: 60, available: 20, claimCount: 1 });
    });
    await world.delete(claimsType, "b");
    await world.eventually(async () => {
      expect(await bucket({ zone: "DFW" })).toBeUndefined();
      expect(statusOf(await bucket())).toMatchObject({ allocated: 60 });
      expect(statusOf(await total())).toMatchObject({ totalAllocated: 60, available: 90 });
    });
    world.writes.length = 0;
    await world.pass(5_000);
    expect(world.writes).toEqual([]);
    for (const name of ["a", "c"]) await world.delete(claimsType, name);
    await world.delete(grantsType, "cpu");
    await world.eventually(async () => {
      expect(await bucket()).toBeUndefined();
      expect(await bucket({ zone: "DLS" })).toBeUndefined();
      expect(await total()).toBeUndefined();
    });
    expect(world.reported).toEqual([]);
  });
});
