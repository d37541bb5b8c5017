import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../apiserver/test-server.ts";
import { inOrganization, organization, organizations, project, projects, quota } from "../tenancy/tenant-world.ts";
import type { ApiResponse } from "./api-client.ts";
import { claimPolicies, claims, expectQuotaRejection, isTrue, ProgramWorld } from "./program-world.ts";
import { configMap, grantPolicies, registrations, types } from "./system-manifests.ts";

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

/** A policy without a consumerRef, so that the tenant of the object is the consumer. */
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

let world: ProgramWorld;

beforeAll(async () => {
  world = await ProgramWorld.build();
  await world.start();
}, 60_000);

afterAll(() => world.remove());

async function apply(path: string, wanted: object, holds: (object: Body) => boolean): Promise<void> {
  await world.expectSuccess(world.admin.apply(path, wanted));
  await world.admin.until(path, holds);
}

/** Consumer and object of all claims. */
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

describe("a policy without a consumer", () => {
  it("is ready unless its objects have no tenant", async () => {
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

    const answer = await world.expectSuccess(world.admin.apply(`${claimPolicies}/organizations`, organizationsPolicy));
    expect(answer.warning).toContain("belongs to a project or organization");
    const { status } = await world.admin.until(`${claimPolicies}/organizations`, ({ status: is }) => is !== undefined);
    expect(status.conditions[0]).toMatchObject({ type: "Ready", status: "False", reason: "ValidationFailed" });
    expect(status.conditions[0].message).toContain(
      `spec.target.resourceClaimTemplate.spec.consumerRef: Required value: no Organization.${apiGroup} that this policy applies to belongs to a project or organization`,
    );
    await world.expectSuccess(world.admin.remove(`${claimPolicies}/organizations`));
  });

  it("uses the organization of a project, for all request paths", async () => {
    await world.shows("acme", "", { [types.projects]: [2, 0, 0, 2], [types.configMaps]: [2, 0, 0, 2] });
    await world.expectSuccess(world.admin.create(inOrganization("acme", projects), project("by-view")));
    await world.expectSuccess(world.admin.create(projects, project("by-root", "acme")));
    await world.shows("acme", "", { [types.projects]: [2, 2, 0, 0], [types.configMaps]: [2, 0, 0, 2] });
    const rejected = noMore(types.projects, "project");
    for (const dryRun of ["", "?dryRun=All"]) {
      const byView = `${inOrganization("acme", projects)}${dryRun}`;
      expectQuotaRejection(await world.admin.create(byView, project("third")), rejected);
      expectQuotaRejection(await world.admin.create(`${projects}${dryRun}`, project("third", "acme")), rejected);
    }
    await world.expectSuccess(world.admin.create(projects, project("of-beta", "beta")));
    await world.shows("beta", "", { [types.projects]: [2, 1, 0, 1] });
    expect(await claimed()).toEqual([
      "organization-acme: Organization acme, Project by-root",
      "organization-acme: Organization acme, Project by-view",
      "organization-beta: Organization beta, Project of-beta",
    ]);
  });

  it("uses the organization of a namespace for all objects in it", async () => {
    await world.expectSuccess(world.admin.create(inOrganization("acme", ofAcme), configMap("by-view")));
    await world.expectSuccess(world.admin.create(ofAcme, configMap("by-root")));
    for (const path of [ofAcme, inOrganization("acme", ofAcme)]) {
      expectQuotaRejection(await world.admin.create(path, configMap("third")), noMore(types.configMaps, "config map"));
    }
    await world.shows("acme", "", { [types.projects]: [2, 2, 0, 0], [types.configMaps]: [2, 2, 0, 0] });
  });

  it("rejects objects without a tenant with an error, not as over quota", async () => {
    const expectMisconfigured = ({ code, body, text }: ApiResponse): void => {
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

  it("has the same consumer in the commands simulate-create and explain", async () => {
    const file = join(tmpdir(), `milo-quota-own-${process.pid}.json`);
    const rejection = `for Organization "acme": requested 1 project, limit 2, allocated 2`;
    for (const [object, flags] of [
      [project("third"), ["--organization", "acme"]],
      [project("third", "acme"), []],
    ] as const) {
      writeFileSync(file, JSON.stringify(object));
      const { code, stdout, stderr } = await world.command("simulate-create", "-o", "json", "-f", file, ...flags);
      expect(code, stderr).toBe(1);
      const [item] = JSON.parse(stdout).items;
      expect(item.alone.message).toContain(rejection);
      expect(item.problems).toEqual([]);
      expect(item.claims[0].consumer).toEqual({ apiGroup, kind: "Organization", namespace: "", name: "acme" });
      const explained = await world.command("explain", "-f", file, ...flags);
      expect(explained.stdout).toContain(`${types.projects} of Organization/acme: limit 2 projects, allocated 2`);
    }
    rmSync(file);
  });

  it("has the same consumer for objects that bypassed admission", async () => {
    await restart(["--enforcement", "Off"]);
    await world.expectSuccess(world.admin.create(ofAcme, configMap("third")));
    await world.expectSuccess(world.admin.create(inOrganization("acme", projects), project("third")));
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

  it("has the same consumer for adopted objects", async () => {
    await world.expectSuccess(world.admin.remove(`${claimPolicies}/config-maps`));
    await world.admin.gone(`${claimPolicies}/config-maps`);
    await world.expectSuccess(
      world.admin.create("/api/v1/namespaces/organization-beta/configmaps", configMap("older")),
    );
    const adopting = { ...mapsPolicy, spec: { ...mapsPolicy.spec, existingObjects: "Adopt" } };
    await apply(`${claimPolicies}/config-maps`, adopting, isTrue("Ready"));
    await world.shows("beta", "", { [types.projects]: [2, 1, 0, 1], [types.configMaps]: [0, 1, 0, 0] });
    expect(await claimed()).toContain("organization-beta: Organization beta, ConfigMap older");
    await world.stop();
  });
});
