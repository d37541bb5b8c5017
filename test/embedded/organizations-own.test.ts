import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../apiserver/test-server.ts";
import { inOrganization, organization, organizations, project, projects, quota } from "../tenancy/tenant-world.ts";
import type { Answer } from "./front-door.ts";
import { configMap, grantPolicies, registrations, types } from "./story-manifests.ts";
import { claimPolicies, claims, expectRefused, isTrue, StoryWorld } from "./story-world.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const apiGroup = "resourcemanager.miloapis.com";
const ofAcme = "/api/v1/namespaces/organization-acme/configmaps";

const mapsRegistration = {
  apiVersion,
  kind: "ResourceRegistration",
  metadata: { name: "config-maps" },
  spec: {
    resourceType: types.configMaps,
    type: "Entity",
    baseUnit: "config map",
    consumerType: { apiGroup, kind: "Organization" },
    claimingResources: [{ kind: "ConfigMap" }],
  },
};

const mapsGrant = {
  apiVersion,
  kind: "ResourceGrant",
  metadata: { name: "config-maps", namespace: "organization-acme" },
  spec: {
    consumerRef: { apiGroup, kind: "Organization", name: "acme" },
    allowances: [{ resourceType: types.configMaps, buckets: [{ amount: 2 }] }],
  },
};

/** Says whose quota it is by saying nothing about it. */
const policy = (name: string, resource: object, resourceType: string, more: object = {}) => ({
  apiVersion,
  kind: "ClaimCreationPolicy",
  metadata: { name },
  spec: {
    trigger: { resource },
    target: { resourceClaimTemplate: { spec: { requests: [{ resourceType, amount: 1 }] } } },
    ...more,
  },
});
const projectsPolicy = policy("projects", { apiVersion: `${apiGroup}/v1alpha1`, kind: "Project" }, types.projects);
const mapsPolicy = policy("config-maps", { apiVersion: "v1", kind: "ConfigMap" }, types.configMaps);
const organizationsPolicy = policy(
  "organizations",
  { apiVersion: `${apiGroup}/v1alpha1`, kind: "Organization" },
  types.projects,
);

const noMore = (resourceType: string, unit: string) =>
  [
    resourceType,
    `${resourceType} for Organization "acme": requested 1 ${unit}, limit 2, allocated 2, reserved 0, available 0`,
  ] as const;

let world: StoryWorld;

beforeAll(async () => {
  world = await StoryWorld.build();
  await world.start();
}, 60_000);

afterAll(() => world.remove());

async function apply(path: string, wanted: object, holds: (object: Body) => boolean): Promise<void> {
  await world.made(world.admin.apply(path, wanted));
  await world.admin.until(path, holds);
}

/** Of claims, for whom and for what they are. */
async function claimed(): Promise<readonly string[]> {
  const { body } = await world.admin.get(claims);
  return body.items
    .map(({ metadata, spec }: Body) => {
      const { consumerRef, resourceRef } = spec;
      return `${metadata.namespace}: ${consumerRef.kind} ${consumerRef.name}, ${resourceRef.kind} ${resourceRef.name}`;
    })
    .sort();
}

async function restart(flags: readonly string[] = []): Promise<void> {
  await world.stop();
  await world.start(flags);
}

describe("a policy that names no consumer", () => {
  it("is ready, but for one about what belongs to nobody", async () => {
    await apply(`${quota}/resourceregistrations/projects`, registrations["projects"] as object, isTrue("Active"));
    await apply(`${quota}/resourceregistrations/config-maps`, mapsRegistration, isTrue("Active"));
    const given = grantPolicies["for-organizations"] as object;
    await apply(`${quota}/grantcreationpolicies/for-organizations`, given, isTrue("Ready"));
    for (const name of ["acme", "beta"]) {
      await apply(`${organizations}/${name}`, organization(name), ({ status }) => status?.phase === "Active");
    }
    await apply(`${quota}/namespaces/organization-acme/resourcegrants/config-maps`, mapsGrant, isTrue("Active"));
    await apply(`${claimPolicies}/projects`, projectsPolicy, isTrue("Ready"));
    await apply(`${claimPolicies}/config-maps`, mapsPolicy, isTrue("Ready"));

    const answer = await world.made(world.admin.apply(`${claimPolicies}/organizations`, organizationsPolicy));
    expect(answer.warning).toContain("belongs to a project or organization");
    const { status } = await world.admin.until(`${claimPolicies}/organizations`, ({ status: is }) => is !== undefined);
    expect(status.conditions[0]).toMatchObject({ type: "Ready", status: "False", reason: "ValidationFailed" });
    expect(status.conditions[0].message).toContain(
      `spec.target.resourceClaimTemplate.spec.consumerRef: Required value: no Organization.${apiGroup} that this policy is about belongs to a project or organization`,
    );
    await world.made(world.admin.remove(`${claimPolicies}/organizations`));
  });

  it("means the organization of a project, whichever path it is made by", async () => {
    await world.shows("acme", "", { [types.projects]: [2, 0, 0, 2], [types.configMaps]: [2, 0, 0, 2] });
    await world.made(world.admin.create(inOrganization("acme", projects), project("by-view")));
    await world.made(world.admin.create(projects, project("by-root", "acme")));
    await world.shows("acme", "", { [types.projects]: [2, 2, 0, 0], [types.configMaps]: [2, 0, 0, 2] });
    const refused = noMore(types.projects, "project");
    for (const dryRun of ["", "?dryRun=All"]) {
      const byView = `${inOrganization("acme", projects)}${dryRun}`;
      expectRefused(await world.admin.create(byView, project("third")), refused);
      expectRefused(await world.admin.create(`${projects}${dryRun}`, project("third", "acme")), refused);
    }
    await world.made(world.admin.create(projects, project("of-beta", "beta")));
    await world.shows("beta", "", { [types.projects]: [2, 1, 0, 1] });
    expect(await claimed()).toEqual([
      "organization-acme: Organization acme, Project by-root",
      "organization-acme: Organization acme, Project by-view",
      "organization-beta: Organization beta, Project of-beta",
    ]);
  });

  it("means the organization of whatever is in its namespace", async () => {
    await world.made(world.admin.create(inOrganization("acme", ofAcme), configMap("by-view")));
    await world.made(world.admin.create(ofAcme, configMap("by-root")));
    for (const path of [ofAcme, inOrganization("acme", ofAcme)]) {
      expectRefused(await world.admin.create(path, configMap("third")), noMore(types.configMaps, "config map"));
    }
    await world.shows("acme", "", { [types.projects]: [2, 2, 0, 0], [types.configMaps]: [2, 2, 0, 0] });
  });

  it("refuses what belongs to nobody as misconfigured, and never for too little quota", async () => {
    const expectMisconfigured = ({ code, body, text }: Answer): void => {
      expect(code, text).toBe(500);
      expect(body.details.causes[0].reason).toBe("QuotaMisconfigured");
      expect(body.message).toContain(
        'ClaimCreationPolicy "config-maps": names no consumerRef, and ConfigMap "default/x" belongs to no project or organization',
      );
    };
    const path = "/api/v1/namespaces/default/configmaps";
    expectMisconfigured(await world.admin.create(path, configMap("x")));
    expectMisconfigured(await world.admin.create(`${path}?dryRun=All`, configMap("x")));
  });

  it("is understood likewise by those who only ask what would be", async () => {
    const file = join(tmpdir(), `milo-quota-own-${process.pid}.json`);
    const refusal = `for Organization "acme": requested 1 project, limit 2, allocated 2`;
    for (const [object, flags] of [
      [project("third"), ["--organization", "acme"]],
      [project("third", "acme"), []],
    ] as const) {
      writeFileSync(file, JSON.stringify(object));
      const { code, stdout, stderr } = await world.command("simulate-create", "-o", "json", "-f", file, ...flags);
      expect(code, stderr).toBe(1);
      const [item] = JSON.parse(stdout).items;
      expect(item.alone.message).toContain(refusal);
      expect(item.problems).toEqual([]);
      expect(item.claims[0].consumer).toEqual({ apiGroup, kind: "Organization", namespace: "", name: "acme" });
      const explained = await world.command("explain", "-f", file, ...flags);
      expect(explained.stdout).toContain(`${types.projects} of Organization/acme: limit 2 projects, allocated 2`);
    }
    rmSync(file);
  });

  it("counts what came while nobody asked it for the same organization", async () => {
    await restart(["--enforcement", "Off"]);
    await world.made(world.admin.create(ofAcme, configMap("third")));
    await world.made(world.admin.create(inOrganization("acme", projects), project("third")));
    await restart();
    await world.shows("acme", "", { [types.projects]: [2, 3, 0, 0], [types.configMaps]: [2, 3, 0, 0] });
    expect(await claimed()).toEqual([
      "organization-acme: Organization acme, ConfigMap by-root",
      "organization-acme: Organization acme, ConfigMap by-view",
      "organization-acme: Organization acme, ConfigMap third",
      "organization-acme: Organization acme, Project by-root",
      "organization-acme: Organization acme, Project by-view",
      "organization-acme: Organization acme, Project third",
      "organization-beta: Organization beta, Project of-beta",
    ]);
  });

  it("adopts what is older than it for the same organization", async () => {
    await world.made(world.admin.remove(`${claimPolicies}/config-maps`));
    await world.admin.gone(`${claimPolicies}/config-maps`);
    await world.made(world.admin.create("/api/v1/namespaces/organization-beta/configmaps", configMap("older")));
    const adopting = { ...mapsPolicy, spec: { ...mapsPolicy.spec, existingObjects: "Adopt" } };
    await apply(`${claimPolicies}/config-maps`, adopting, isTrue("Ready"));
    await world.shows("beta", "", { [types.projects]: [2, 1, 0, 1], [types.configMaps]: [0, 1, 0, 0] });
    expect(await claimed()).toContain("organization-beta: Organization beta, ConfigMap older");
    await world.stop();
  });
});
