import { readFileSync } from "node:fs";
import { tenancyKinds } from "@milo-quota/quota/tenancy/resources/tenancy-kinds.ts";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { inOrganization, inProject, projects, readyOf, TenantWorld } from "./tenant-world.ts";

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const guide = readFileSync("docs/guides/tenants.md", "utf8");
const manifests = [...guide.matchAll(/^```yaml\n(.*?)^```/gms)].flatMap(([, text = ""]) =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest),
);

it("the tenants guide creates an organization, a project and a member with access", async () => {
  const world = await TenantWorld.start();
  for (const manifest of manifests) {
    const found = tenancyKinds.find(({ kind }) => kind === manifest.kind);
    const { namespace } = manifest.metadata;
    const within = namespace === undefined ? "" : `/namespaces/${namespace}`;
    const path = `/apis/${found?.group}/${found?.version}${within}/${found?.plural}`;
    const created = await world.server.create(`${path}?fieldValidation=Strict`, manifest);
    expect([manifest.kind, created.code]).toEqual([manifest.kind, 201]);
    if (manifest.kind !== "User") {
      await world.until(`${path}/${manifest.metadata.name}`, (object) => readyOf(object)?.status === "True");
    }
  }
  expect(manifests.map(({ kind }) => kind)).toEqual(["Organization", "Project", "User", "OrganizationMembership"]);
  const alice = world.as(await world.token({ user: "alice" }));
  expect((await alice.get(inOrganization("delta-corp", `${projects}/website`))).code).toBe(200);
  expect((await alice.get(inProject("website", "/api/v1/namespaces/default/configmaps"))).code).toBe(200);
  await world.stop();
});

it("the tenants guide names the actual paths", () => {
  expect(guide).toContain(`| ${"`"}${inOrganization("delta-corp", "")}${"`"} |`);
  expect(guide).toContain(`| ${"`"}${inProject("website", "")}${"`"} |`);
});
