import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../apiserver/test-server.ts";
import { organization, organizations, person, quota, usersPath } from "../tenancy/tenant-world.ts";
import { eventually } from "./api-client.ts";
import { isTrue } from "./program-world.ts";
import { RightsWorld } from "./rights-world.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const tenants = "resourcemanager.miloapis.com";
const [seats, gpus, keys, maps] = ["crm.example.com/seats", "ml.example.com/gpus", "x.io/keys", "core/configmaps"];
const namespaces = "/api/v1/namespaces";

const globex = { apiGroup: tenants, kind: "Organization", name: "globex" };
const team = { kind: "Namespace", name: "team" };

const registration = (name: string, resourceType: string, consumerType: object, more: object = {}) => ({
  apiVersion,
  kind: "ResourceRegistration",
  metadata: { name },
  spec: { resourceType, type: "Allocation", baseUnit: "unit", consumerType, ...more },
});

const claim = (name: string, consumerRef: object, resourceType: string) => ({
  apiVersion,
  kind: "ResourceClaim",
  metadata: { name },
  spec: { consumerRef, requests: [{ resourceType, amount: 9 }] },
});

const grant = (name: string, consumerRef: object, resourceType: string) => ({
  apiVersion,
  kind: "ResourceGrant",
  metadata: { name },
  spec: { consumerRef, allowances: [{ resourceType, buckets: [{ amount: 10 }] }] },
});

const claimsIn = (name: string): string => `${quota}/namespaces/${name}/resourceclaims`;
const grantsIn = (name: string): string => `${quota}/namespaces/${name}/resourcegrants`;

/** Buckets of a consumer cannot be written while its namespace is missing. */
const aboutMissingNamespace = /^(bucket writer, |figures of )/;

let world: RightsWorld;

beforeAll(async () => {
  world = await RightsWorld.start();
  const organizationType = { apiGroup: tenants, kind: "Organization" };
  const claimingResources = [{ apiGroup: "", kind: "ConfigMap" }];
  const registrations = `${quota}/resourceregistrations`;
  await world.make(registrations, registration("seats", seats, organizationType));
  await world.make(registrations, registration("gpus", gpus, { apiGroup: "", kind: "Namespace" }));
  await world.make(registrations, registration("keys", keys, { apiGroup: "iam.miloapis.com", kind: "User" }));
  await world.make(registrations, registration("maps", maps, organizationType, { claimingResources }));
  for (const name of ["seats", "gpus", "keys", "maps"]) await world.until(`${registrations}/${name}`, isTrue("Active"));
}, 60_000);

afterAll(async () => {
  await world.stop();
  expect(world.reported.filter((text) => !aboutMissingNamespace.test(text))).toEqual([]);
});

async function newOrganization(): Promise<string> {
  await world.make(organizations, organization("globex"));
  await world.until(`${organizations}/globex`, ({ status }) => status?.phase === "Active");
  for (const type of [seats, maps]) {
    await world.make(grantsIn("organization-globex"), grant(type.replace("/", "-"), globex, type));
  }
  return (await world.get(`${organizations}/globex`)).body.metadata.uid;
}

async function removeOrganization(): Promise<void> {
  expect((await world.remove(`${organizations}/globex`)).code).toBe(200);
  await world.gone(`${organizations}/globex`);
  await world.gone(`${namespaces}/organization-globex`);
}

/** The amounts that are allocated to globex, by resource type, once it has its limits. */
async function expectAllocated(wanted: Readonly<Record<string, number>>): Promise<void> {
  await eventually(async () => {
    const { body } = await world.get(`${quota}/namespaces/organization-globex/allowancebuckets`);
    const figures = body.items.map(({ spec, status }: Body) => [spec.resourceType, [status?.limit, status?.allocated]]);
    const expected = Object.entries(wanted).map(([type, allocated]) => [type, [10, allocated]]);
    expect(Object.fromEntries(figures)).toEqual(Object.fromEntries(expected));
  });
}

describe("a claim by hand", () => {
  it("names the consumer that it was decided for, and is deleted with it", async () => {
    const uid = await newOrganization();
    const path = `${claimsIn("default")}/held`;
    await world.make(claimsIn("default"), claim("held", globex, seats));
    await world.until(path, isTrue("Granted"));
    expect((await world.get(path)).body.status.consumerUID).toBe(uid);
    await expectAllocated({ [seats]: 9, [maps]: 0 });
    await removeOrganization();
    await world.gone(path);
    await world.until(`${namespaces}/default/events`, ({ items }) =>
      items.some(
        ({ reason, message, involvedObject }: Body) =>
          reason === "ConsumerDeleted" && involvedObject.name === "held" && message.includes('Organization "globex"'),
      ),
    );
    expect(await newOrganization()).not.toBe(uid);
    await expectAllocated({ [seats]: 0, [maps]: 0 });
    await removeOrganization();
  });

  it("for a namespace is deleted with that namespace, wherever it is", async () => {
    const make = () => world.make(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    await make();
    await world.make(grantsIn("team"), grant("gpus", team, gpus));
    await world.make(claimsIn("default"), claim("gpus", team, gpus));
    await world.until(`${claimsIn("default")}/gpus`, isTrue("Granted"));
    expect((await world.remove(`${namespaces}/team`)).code).toBe(200);
    await world.gone(`${claimsIn("default")}/gpus`);
    await make();
    await world.make(claimsIn("default"), claim("gpus", team, gpus));
    await world.until(`${claimsIn("default")}/gpus`, ({ status }) => status.conditions[0].reason === "QuotaExceeded");
  });

  it("that was decided before its consumer existed stays", async () => {
    const early = { apiGroup: "iam.miloapis.com", kind: "User", name: "early" };
    await world.make(grantsIn("default"), grant("early", early, keys));
    await world.make(claimsIn("default"), claim("early", early, keys));
    await world.until(`${claimsIn("default")}/early`, isTrue("Granted"));
    await world.make(usersPath, person("early"));
    let late = "";
    for (let known = false, at = 0; !known; at += 1) {
      late = `${claimsIn("default")}/late-${at}`;
      await world.make(claimsIn("default"), claim(`late-${at}`, early, keys));
      await world.until(late, ({ status }) => status.conditions[0].reason === "QuotaExceeded");
      known = (await world.get(late)).body.status.consumerUID !== undefined; // the cache may be a moment behind
    }
    expect((await world.remove(`${usersPath}/early`)).code).toBe(200);
    await world.gone(late);
    const kept = (await world.get(`${claimsIn("default")}/early`)).body;
    expect(kept).toMatchObject({ status: { conditions: [{ reason: "QuotaAvailable" }] } });
    expect(kept.status).not.toHaveProperty("consumerUID");
  });
});

describe("a claim of an object", () => {
  it("goes on counting for the new consumer of that name, as long as the object exists", async () => {
    const first = await newOrganization();
    await world.make(`${quota}/claimcreationpolicies`, {
      apiVersion,
      kind: "ClaimCreationPolicy",
      metadata: { name: "maps" },
      spec: {
        trigger: { resource: { apiVersion: "v1", kind: "ConfigMap" } },
        target: {
          resourceClaimTemplate: {
            metadata: { namespace: "default" },
            spec: { consumerRef: globex, requests: [{ resourceType: maps, amount: 2 }] },
          },
        },
      },
    });
    await world.until(`${quota}/claimcreationpolicies/maps`, isTrue("Ready"));
    await expectAllocated({ [seats]: 0, [maps]: 0 });
    const map = `${namespaces}/default/configmaps`;
    await world.make(map, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } });
    const own = async () =>
      (await world.get(claimsIn("default"))).body.items.filter(({ spec }: Body) => spec.resourceRef?.name === "one");
    expect(await own()).toMatchObject([{ status: { consumerUID: first } }]);
    await expectAllocated({ [seats]: 0, [maps]: 2 });
    await removeOrganization();
    await newOrganization();
    await expectAllocated({ [seats]: 0, [maps]: 2 });
    expect((await world.remove(`${map}/one`)).code).toBe(200);
    await expectAllocated({ [seats]: 0, [maps]: 0 });
  });
});
