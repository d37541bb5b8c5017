import type { Call } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { bucketName } from "@milo-quota/quota/core/resources/object-names.ts";
import { bucketsType, grantsType, registrationsType } from "@milo-quota/quota/views/quota-types.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { grant, organization, projectsType, registration } from "./manifests.ts";
import { QuotaSystem } from "./quota-system.ts";

const name = bucketName(organization, projectsType);
const where = { namespace: "milo-system" };

let system: QuotaSystem;
/** What somebody else does right before a page is removed; once. */
let meanwhile: (() => Promise<unknown>) | undefined;

async function meddle({ method, path }: Call): Promise<void> {
  if (method !== "DELETE" || !path.endsWith(`/allowancebuckets/${name}`)) return;
  const act = meanwhile;
  meanwhile = undefined;
  await act?.();
  await system.rest(); // everybody has heard of it
}

beforeEach(async () => {
  system = await QuotaSystem.start({ meddle });
  await system.create(registrationsType, registration(projectsType));
  await system.create(grantsType, grant("base", organization, { [projectsType]: 100 }));
  await system.eventually(async () => expect(await system.figures(organization, projectsType)).toBeDefined());
});

afterEach(() => system.stop());

describe("a page that nobody needs any more", () => {
  it.each<readonly [string, (() => Promise<unknown>) | undefined]>([
    ["though nobody else does anything", undefined],
    ["though somebody else deletes it at the same time", () => system.delete(bucketsType, name, where)],
    [
      "though somebody else changes it at the same time",
      () => system.patch(bucketsType, name, { metadata: { labels: { touched: "yes" } } }, where),
    ],
  ])("goes, %s", async (_, act) => {
    meanwhile = act;
    await system.delete(grantsType, "base");
    await system.pass(5_000);
    expect(meanwhile).toBeUndefined();
    expect(await system.find(bucketsType, name, where)).toBeUndefined();
    expect(system.reported).toEqual([]);
  });
});
