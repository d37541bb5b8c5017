import { randomUUID } from "node:crypto";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import { Controllers } from "@milo-quota/quota/controllers/controllers.ts";
import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { tenantLayout } from "@milo-quota/quota/tenancy/plane-layout.ts";
import { planesOfServer } from "@milo-quota/quota/views/planes-of-server.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Body } from "../apiserver/test-server.ts";
import { users } from "../apiserver/test-users.ts";
import { inOrganization, inProject, organizations, projects, quota, TenantWorld } from "./tenant-world.ts";

const apiVersion = "quota.miloapis.com/v1alpha1";
const apiGroup = "resourcemanager.miloapis.com";
const [projectCount, cpu] = ["resourcemanager.miloapis.com/projects", "compute.miloapis.com/cpu"];

const registration = (name: string, resourceType: string, kind: string) => ({
  apiVersion,
  kind: "ResourceRegistration",
  metadata: { name },
  spec: { resourceType, type: "Allocation", baseUnit: "unit", consumerType: { apiGroup, kind } },
});

/** A policy that grants an amount to every object of a kind, in the plane of its buckets. */
const policy = (name: string, kind: string, target: object, given: [resourceType: string, amount: number]) => ({
  apiVersion,
  kind: "GrantCreationPolicy",
  metadata: { name },
  spec: {
    trigger: {
      resource: { apiVersion: `${apiGroup}/v1alpha1`, kind },
      constraints: kind === "Organization" ? [{ expression: 'trigger.status.phase == "Active"' }] : [],
    },
    target: {
      ...target,
      resourceGrantTemplate: {
        metadata: {
          name: "given-{{ trigger.metadata.name }}",
          namespace: kind === "Organization" ? "organization-{{ trigger.metadata.name }}" : "milo-system",
        },
        spec: {
          consumerRef: { apiGroup, kind, name: "{{ trigger.metadata.name }}" },
          allowances: [{ resourceType: given[0], buckets: [{ amount: given[1] }] }],
        },
      },
    },
  },
});

const claim = (name: string, kind: string, of: string, [resourceType, amount]: [string, number]) => ({
  apiVersion,
  kind: "ResourceClaim",
  metadata: { name },
  spec: { consumerRef: { apiGroup, kind, name: of }, requests: [{ resourceType, amount }] },
});

const figures = ({ items }: Body) =>
  items.map(({ status }: Body) => [status?.limit, status?.allocated, status?.available]);

describe("the quota of tenants", () => {
  let world: TenantWorld;
  let controllers: Controllers;
  let alice: ReturnType<TenantWorld["as"]>;

  beforeEach(async () => {
    world = await TenantWorld.start({ more: quotaKinds });
    const { clock } = world;
    const transport = directTransport((request) => world.server.server.api.handle(request), users.admin);
    controllers = new Controllers({
      leadership: "alone",
      runtime: {
        planes: planesOfServer(transport, tenantLayout),
        clock,
        elapsedMs: () => clock.now(),
        random: { fraction: Math.random, uuid: randomUUID },
        incarnation: randomUUID(),
        report: (where, error) => world.reported.push(`${where}: ${(error as Error).message}`),
      },
    });
    controllers.start();
    const { server } = world;
    const parentContext = { apiGroup, kind: "Project", nameExpression: "trigger.metadata.name" };
    const created = [
      await server.create(`${quota}/resourceregistrations`, registration("projects", projectCount, "Organization")),
      await server.create(`${quota}/resourceregistrations`, registration("cpu", cpu, "Project")),
      await server.create(`${quota}/grantcreationpolicies`, policy("projects", "Organization", {}, [projectCount, 3])),
      await server.create(`${quota}/grantcreationpolicies`, policy("cpu", "Project", { parentContext }, [cpu, 8])),
    ];
    expect(created.map(({ code, text }) => (code === 201 ? code : text))).toEqual([201, 201, 201, 201]);
    await world.organization("acme");
    await world.project("web", "acme");
    await world.member("acme", "alice", ["admin"]);
    alice = world.as(await world.token({ user: "alice" }));
  });

  afterEach(async () => {
    await controllers.stop();
    await world.stop();
  });

  const seen = (path: string, wanted: readonly unknown[]) =>
    world.server.until(`${path} shows ${JSON.stringify(wanted)}`, async () => {
      const { code, body } = await alice.get(path);
      return code === 200 && JSON.stringify(figures(body)) === JSON.stringify(wanted);
    });
  const isGranted = (path: string) =>
    world.until(path, ({ status }) =>
      status?.conditions?.some(({ type, status: is }: Body) => type === "Granted" && is === "True"),
    );

  it("of an organization is in its namespace, where its members can read and claim it", async () => {
    const buckets = inOrganization("acme", `${quota}/namespaces/organization-acme/allowancebuckets`);
    await seen(buckets, [[3, 0, 3]]);
    const claims = `${quota}/namespaces/organization-acme/resourceclaims`;
    const created = await alice.create(
      inOrganization("acme", claims),
      claim("one", "Organization", "acme", [projectCount, 1]),
    );
    expect(created.code).toBe(201);
    await isGranted(`${claims}/one`);
    await seen(buckets, [[3, 1, 2]]);
    await alice.remove(inOrganization("acme", `${claims}/one`));
    await seen(buckets, [[3, 0, 3]]);
  });

  it("of a project is in its plane, is deleted with it, and is granted again to a new project of the same name", async () => {
    const buckets = inProject("web", `${quota}/namespaces/milo-system/allowancebuckets`);
    await seen(buckets, [[8, 0, 8]]);
    const claims = inProject("web", `${quota}/namespaces/default/resourceclaims`);
    expect((await alice.create(claims, claim("used", "Project", "web", [cpu, 5]))).code).toBe(201);
    await isGranted(`${claims}/used`);
    await seen(buckets, [[8, 5, 3]]);
    await world.server.remove(`${projects}/web`);
    await world.gone(`${projects}/web`);
    await world.project("web", "acme");
    await seen(buckets, [[8, 0, 8]]);
    expect((await alice.get(`${claims}/used`)).code).toBe(404);
  });

  it("causes no writes after a tenant is deleted", async () => {
    await seen(inProject("web", `${quota}/allowancebuckets`), [[8, 0, 8]]);
    await world.server.remove(`${organizations}/acme`);
    await world.gone(`${organizations}/acme`);
    await world.writesIn(120_000);
    world.reported.length = 0;
    expect(await world.writesIn(120_000)).toBe(0);
    expect(world.reported).toEqual([]);
    for (const kind of ["resourcegrants", "allowancebuckets", "effectiveresourcegrants"]) {
      const { body } = await world.server.send({ path: `${quota}/${kind}`, allPlanes: true });
      expect([kind, body.items]).toEqual([kind, []]);
    }
  });
});
