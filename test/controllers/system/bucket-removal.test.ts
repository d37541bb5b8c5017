import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { bucketsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, projectsType, registration } from "./manifests.ts";
import { TestSystem } from "./test-system.ts";

const name = bucketName(organization, projectsType);
const where = { namespace: "milo-system" };

let system: TestSystem;
/** Runs once, right before a bucket is deleted. */
let meanwhile: (() => Promise<unknown>) | undefined;

async function interfere({ method, path }: Call): Promise<void> {
  if (method !== "DELETE" || !path.endsWith(`/allowancebuckets/${name}`)) return;
  const act = meanwhile;
  meanwhile = undefined;
  await act?.();
  await system.rest(); // lets all informers observe it
}

beforeEach(async () => {
  system = await TestSystem.start({ intercept: interfere });
  await system.create(registrationsType, registration(projectsType));
  await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
  await system.eventually(async () => expect(await system.figures(organization, projectsType)).toBeDefined());
});

afterEach(() => system.stop());

describe("an unused bucket", () => {
  it.each<readonly [string, (() => Promise<unknown>) | undefined]>([
    ["without interference", undefined],
    ["although a client deletes it at the same time", () => system.delete(bucketsType, name, where)],
    [
      "although a client changes it at the same time",
      () => system.patch(bucketsType, name, { metadata: { labels: { touched: "yes" } } }, where),
    ],
  ])("is deleted, %s", async (_, act) => {
    meanwhile = act;
    await system.delete(grantsType, "base");
    await system.pass(5_000);
    expect(meanwhile).toBeUndefined();
    expect(await system.find(bucketsType, name, where)).toBeUndefined();
    expect(system.reported).toEqual([]);
  });
});
