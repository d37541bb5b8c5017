import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { bucketFinalizer } from "@milo-quota/quota/core/resources/well-known.ts";
import { bucketsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, projectsType, registration } from "./manifests.ts";
import { TestSystem } from "./test-system.ts";

const name = bucketName(organization, projectsType);
const where = { namespace: "milo-system" };
const formerFinalizer = "quota.miloapis.com/page";
const foreignFinalizer = "example.com/keep";

let system: TestSystem;

beforeEach(async () => {
  system = await TestSystem.start();
  await system.create(registrationsType, registration(projectsType));
  await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
  await system.eventually(async () => expect(await finalizers()).toEqual([bucketFinalizer]));
});

afterEach(() => system.stop());

/** Undefined if the bucket does not exist. */
async function finalizers(): Promise<unknown> {
  const bucket = await system.find(bucketsType, name, where);
  return bucket && ((bucket["metadata"] as { finalizers?: unknown }).finalizers ?? []);
}

async function isGone(): Promise<void> {
  await system.pass(5_000);
  expect(await finalizers()).toBeUndefined();
  expect(system.reported).toEqual([]);
}

describe("the finalizer of a bucket", () => {
  it.each([
    ["the current one", [bucketFinalizer]],
    ["that of earlier versions", [formerFinalizer]],
    ["both", [formerFinalizer, bucketFinalizer]],
  ])("keeps a bucket while it is in use, and is removed when it is not: %s", async (_, own) => {
    await system.patch(bucketsType, name, { metadata: { finalizers: own } }, where);
    await system.delete(bucketsType, name, where);
    await system.pass(5_000);
    expect(await finalizers()).toEqual(own);
    await system.delete(grantsType, "base");
    await isGone();
  });

  it("of earlier versions is removed from a bucket that no client has deleted", async () => {
    await system.patch(bucketsType, name, { metadata: { finalizers: [formerFinalizer] } }, where);
    await system.delete(grantsType, "base");
    await isGone();
  });

  it("is removed without those of other clients", async () => {
    const all = [formerFinalizer, foreignFinalizer, bucketFinalizer];
    await system.patch(bucketsType, name, { metadata: { finalizers: all } }, where);
    await system.delete(grantsType, "base");
    await system.eventually(async () => expect(await finalizers()).toEqual([foreignFinalizer]));
    await system.patch(bucketsType, name, { metadata: { finalizers: [] } }, where);
    await isGone();
  });
});
