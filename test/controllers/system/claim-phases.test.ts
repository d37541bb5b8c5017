import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { bucketsType, claimsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claim, grant, organization, projectsType, registration } from "./manifests.ts";
import { type Json, statusOf, TestSystem } from "./test-system.ts";

let system: TestSystem;
const { signal } = new AbortController();
const where = { namespace: "milo-system" };
const one = [{ resourceType: projectsType, amount: 1 }];

beforeEach(async () => {
  system = await TestSystem.start();
  await system.create(registrationsType, registration(projectsType));
});

afterEach(() => system.stop());

const statusNow = async (name: string): Promise<Json> => statusOf(await system.find(claimsType, name));
const become = (name: string, phase: string): Promise<void> =>
  system.eventually(async () => expect(await statusNow(name)).toMatchObject({ phase }));

async function selected(phase: string): Promise<readonly string[]> {
  const { items } = await system.resource(claimsType).list({ fieldSelector: `status.phase=${phase}` }, signal);
  return items.map(({ metadata }) => String((metadata as unknown as Json)["name"])).sort();
}

describe("the phase of a claim", () => {
  it("tells its outcome, and claims can be selected by it", async () => {
    await system.create(grantsType, grant("base", organization, { [projectsType]: 1 }));
    expect(statusOf(await system.create(claimsType, claim("first", organization, one)))).toMatchObject({
      phase: "Pending",
    });
    await become("first", "Granted");
    await system.create(claimsType, claim("second", organization, one));
    await become("second", "Denied");
    await system.create(claimsType, claim("third", organization, [...one, { resourceType: "no/such", amount: 1 }]));
    await become("third", "Invalid");
    expect([await selected("Granted"), await selected("Denied"), await selected("Invalid")]).toEqual([
      ["first"],
      ["second"],
      ["third"],
    ]);
  });

  it("is added to claims that were stored without one", async () => {
    await system.create(grantsType, grant("base", organization, { [projectsType]: 1 }));
    for (const [name, phase] of [
      ["first", "Granted"],
      ["second", "Denied"],
    ] as const) {
      await system.create(claimsType, claim(name, organization, one));
      await become(name, phase);
      const ref = { namespace: "default", name };
      const body = { status: { phase: null } };
      await system.resource(claimsType).patch(ref, { type: "merge", body }, { subresource: "status" }, signal);
      expect((await statusNow(name))["phase"]).toBeUndefined();
    }
    system.startReplica("alone");
    await become("first", "Granted");
    await become("second", "Denied");
  });
});

it("an invalid claim says for each request why it holds nothing, and is decided when the reason is gone", async () => {
  await system.create(grantsType, grant("base", organization, { [projectsType]: 1 }));
  await system.create(claimsType, claim("one", organization, [...one, { resourceType: "no/such", amount: 2 }]));
  await become("one", "Invalid");
  const denied = { status: "Denied", reason: "ValidationFailed", allocatedAmount: 0 };
  expect((await statusNow("one"))["allocations"]).toMatchObject([
    {
      ...denied,
      resourceType: projectsType,
      message: expect.stringMatching(
        /^Not granted because of other requests: spec.requests\[1\].*no ResourceRegistration/,
      ),
    },
    {
      ...denied,
      resourceType: "no/such",
      message: expect.stringMatching(/^spec.requests\[1\].*no ResourceRegistration/),
    },
  ]);
  await system.create(registrationsType, registration("no/such"));
  await system.create(grantsType, grant("more", organization, { "no/such": 2 }));
  await become("one", "Granted");
  expect((await statusNow("one"))["allocations"]).toMatchObject([{ status: "Granted" }, { status: "Granted" }]);
});

describe("the bucket of a denied claim", () => {
  const name = bucketName(organization, projectsType);
  const bucket = () => system.find(bucketsType, name, where);

  it("exists without any grant, until the claim is deleted", async () => {
    await system.create(claimsType, claim("one", organization, one));
    await become("one", "Denied");
    await system.pass(5_000);
    expect(await system.figures(organization, projectsType)).toMatchObject({ limit: 0, allocated: 0, available: 0 });
    expect((await bucket())?.["spec"]).not.toHaveProperty("dimensions");
    system.startReplica("alone");
    await system.pass(5_000);
    expect(await bucket()).toBeDefined();
    await system.delete(claimsType, "one");
    await system.eventually(async () => expect(await bucket()).toBeUndefined());
    expect(system.reported).toEqual([]);
  });

  it("stays when the grant goes", async () => {
    await system.create(grantsType, grant("base", organization, { [projectsType]: 1 }));
    await system.create(claimsType, claim("large", organization, [{ resourceType: projectsType, amount: 2 }]));
    await become("large", "Denied");
    await system.delete(grantsType, "base");
    await system.eventually(async () =>
      expect(await system.figures(organization, projectsType)).toMatchObject({ limit: 0 }),
    );
  });
});
