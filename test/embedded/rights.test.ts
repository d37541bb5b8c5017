import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  inOrganization,
  inProject,
  membership,
  memberships,
  organization,
  organizations,
  person,
  project,
  projects,
  quota,
  usersPath,
} from "../tenancy/tenant-world.ts";
import { eventually } from "./api-client.ts";
import { isTrue } from "./program-world.ts";
import { RightsWorld } from "./rights-world.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const tenants = "resourcemanager.miloapis.com";
const [seats, gpus] = ["crm.example.com/seats", "ml.example.com/gpus"];
const crm = "system:serviceaccount:organization-acme:crm";

const tenant = (kind: string, name: string) => ({ apiGroup: tenants, kind, name });
const namespace = (name: string) => ({ kind: "Namespace", name });

const registration = (name: string, resourceType: string, consumerType: object) => ({
  apiVersion,
  kind: "ResourceRegistration",
  metadata: { name },
  spec: { resourceType, type: "Allocation", baseUnit: "unit", consumerType },
});

const claim = (name: string, consumerRef: object, resourceType = seats) => ({
  apiVersion,
  kind: "ResourceClaim",
  metadata: { name },
  spec: { consumerRef, requests: [{ resourceType, amount: 9 }] },
});

const grant = (name: string, consumerRef: object, resourceType = seats) => ({
  apiVersion,
  kind: "ResourceGrant",
  metadata: { name },
  spec: { consumerRef, allowances: [{ resourceType, buckets: [{ amount: 10 }] }] },
});

const claimsIn = (name: string): string => `${quota}/namespaces/${name}/resourceclaims`;
const grantsIn = (name: string): string => `${quota}/namespaces/${name}/resourcegrants`;

let world: RightsWorld;

beforeAll(async () => {
  world = await RightsWorld.start();
  await world.make(
    `${quota}/resourceregistrations`,
    registration("seats", seats, { apiGroup: tenants, kind: "Organization" }),
  );
  await world.make(`${quota}/resourceregistrations`, registration("gpus", gpus, { apiGroup: "", kind: "Namespace" }));
  for (const name of ["acme", "globex"]) {
    await world.make(organizations, organization(name));
    await world.until(`${organizations}/${name}`, ({ status }) => status?.phase === "Active");
    await world.make(grantsIn(`organization-${name}`), grant("seats", tenant("Organization", name)));
  }
  for (const name of ["team-x", "team-c"]) {
    await world.make("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  for (const name of ["seats", "gpus"]) await world.until(`${quota}/resourceregistrations/${name}`, isTrue("Active"));
}, 60_000);

afterAll(async () => {
  await world.stop();
  expect(world.reported).toEqual([]);
});

describe("a service account that may write claims and grants in the namespace of its organization", () => {
  beforeAll(async () => {
    await world.bind("milo-quota-claims-editor", crm, "organization-acme");
    await world.bind("milo-quota-grants-editor", crm, "organization-acme");
  });

  it("claims for that organization, and for no other", async () => {
    const own = claimsIn("organization-acme");
    expect(await world.create(own, claim("ours", tenant("Organization", "acme")), crm)).toMatchObject({ code: 201 });
    await world.until(`${own}/ours`, isTrue("Granted"));
    const rejected = await world.create(own, claim("theirs", tenant("Organization", "globex")), crm);
    expect([rejected.code, rejected.body.message]).toEqual([
      403,
      'resourceclaims.quota.miloapis.com "theirs" is forbidden: it claims quota of Organization "globex", and user ' +
        `"${crm}" lacks the verb "claim" on organizations.${tenants} "globex". Bind the user to a ClusterRole with the ` +
        `rule {"apiGroups":["${tenants}"],"resources":["organizations"],"resourceNames":["globex"],"verbs":["claim"]} ` +
        '(in effect within 10 seconds), or use namespace "organization-globex", where this verb is not needed',
    ]);
  });

  it("grants to that organization, and to no other", async () => {
    const own = grantsIn("organization-acme");
    expect(await world.create(own, grant("ours", tenant("Organization", "acme")), crm)).toMatchObject({ code: 201 });
    const rejected = await world.create(own, grant("theirs", tenant("Organization", "globex")), crm);
    const text = `it grants quota to Organization "globex", and user "${crm}" lacks the verb "grant"`;
    expect([rejected.code, rejected.body.message]).toEqual([403, expect.stringContaining(text)]);
  });
});

describe("a user who may write claims and grants in one namespace", () => {
  it("does so for the namespace itself only", async () => {
    await world.bind("milo-quota-claims-editor", "tess", "team-x");
    await world.bind("milo-quota-grants-editor", "tess", "team-x");
    const codes = async (path: string, object: (consumer: object) => object): Promise<readonly number[]> =>
      Promise.all(
        ["team-x", "team-c"].map(async (name) => (await world.create(path, object(namespace(name)), "tess")).code),
      );
    let at = 0;
    expect(await codes(claimsIn("team-x"), (consumer) => claim(`c${at++}`, consumer, gpus))).toEqual([201, 403]);
    expect(await codes(grantsIn("team-x"), (consumer) => grant(`g${at++}`, consumer, gpus))).toEqual([201, 403]);
  });
});

describe("an admin of an organization", () => {
  beforeAll(async () => {
    await world.make(usersPath, person("anna"));
    const spec = { organizationRef: { name: "acme" }, userRef: { name: "anna" }, roles: ["admin"] };
    await world.make(memberships("acme"), membership("anna", spec));
    await world.until(`${memberships("acme")}/anna`, isTrue("Ready"));
    for (const [name, owner] of [
      ["web", "acme"],
      ["shop", "globex"],
    ] as const) {
      await world.make(projects, project(name, owner));
      await world.until(`${projects}/${name}`, isTrue("Ready"));
    }
  });

  it("claims for the organization and its project, and for no other consumer", async () => {
    const there = inOrganization("acme", claimsIn("organization-acme"));
    const inWeb = inProject("web", claimsIn("default"));
    const answers = [
      await world.create(there, claim("anna", tenant("Organization", "acme")), "anna"),
      await world.create(inWeb, claim("default", namespace("default"), gpus), "anna"),
      await world.create(there, claim("other", tenant("Organization", "globex")), "anna"),
      await world.create(inWeb, claim("above", tenant("Organization", "acme")), "anna"),
      await world.create(inWeb, claim("across", namespace("kube-system"), gpus), "anna"),
    ];
    expect(answers.map(({ code }) => code)).toEqual([201, 201, 403, 403, 403]);
  });

  it("does not grant", async () => {
    const there = inOrganization("acme", grantsIn("organization-acme"));
    expect((await world.create(there, grant("anna", tenant("Organization", "acme")), "anna")).code).toBe(403);
    const inWeb = inProject("web", grantsIn("default"));
    expect((await world.create(inWeb, grant("anna", tenant("Project", "web")), "anna")).code).toBe(403);
  });
});

describe.each(["view", "edit", "admin"])("the role %s of a namespace", (role) => {
  beforeAll(() => world.bind(role, role, "team-x"));

  it("reads quota", async () => {
    const readable = ["resourcegrants", "resourceclaims", "allowancebuckets", "effectiveresourcegrants"];
    await eventually(async () => {
      const answers = await Promise.all(
        readable.map((plural) => world.get(`${quota}/namespaces/team-x/${plural}`, role)),
      );
      expect(answers.map(({ code }) => code)).toEqual([200, 200, 200, 200]);
    });
  });

  it("cannot create a grant, nor anything else that decides on quota", async () => {
    const rejected = [
      await world.create(grantsIn("team-x"), grant("mine", namespace("team-x"), gpus), role),
      await world.create(claimsIn("team-x"), claim("mine", namespace("team-x"), gpus), role),
      await world.create(`${quota}/resourceregistrations`, registration("mine", "x.io/things", namespace("")), role),
      await world.create(`${quota}/claimcreationpolicies`, {}, role),
      await world.create(`${quota}/grantcreationpolicies`, {}, role),
    ];
    expect(rejected.map(({ code }) => code)).toEqual([403, 403, 403, 403, 403]);
  });
});

it("the roles exist in the control planes of projects, too", async () => {
  const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
  const names = ["view", "grants-editor", "claims-editor", "registrations-editor", "policies-editor"];
  for (const name of names) {
    expect((await world.get(inProject("web", `${roles}/milo-quota-${name}`))).code).toBe(200);
  }
});
