import { quotaKinds } from "@milo-quota/quota/core/resources/kinds.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  inOrganization,
  inProject,
  membership,
  memberships,
  organizations,
  project,
  projects,
  quota,
  TenantWorld,
} from "./tenant-world.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const secrets = "/api/v1/namespaces/default/secrets";
const registrations = `${quota}/resourceregistrations`;
const ofOrganization = (name: string, plural: string): string => `${quota}/namespaces/organization-${name}/${plural}`;

const consumerRef = (kind: string, name: string) => ({ apiGroup: "resourcemanager.miloapis.com", kind, name });
const resourceType = "resourcemanager.miloapis.com/projects";

function claim(name: string, consumer: object, metadata: object = {}): object {
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceClaim",
    metadata: { name, ...metadata },
    spec: { consumerRef: consumer, requests: [{ resourceType, amount: 1 }] },
  };
}

function grant(name: string, consumer: object): object {
  return {
    apiVersion: "quota.miloapis.com/v1alpha1",
    kind: "ResourceGrant",
    metadata: { name },
    spec: { consumerRef: consumer, allowances: [{ resourceType, buckets: [{ amount: 1000 }] }] },
  };
}

const registration = {
  apiVersion: "quota.miloapis.com/v1alpha1",
  kind: "ResourceRegistration",
  metadata: { name: "projects" },
  spec: { resourceType, type: "Entity", baseUnit: "project", consumerType: { apiGroup: "", kind: "Namespace" } },
};

const bindingToAdmin = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "me" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "anna" }],
};

describe("two tenants", () => {
  let world: TenantWorld;
  /** anna is admin and vera is viewer of acme, bob is admin of the other organization, nina has no membership. */
  const as: Record<"anna" | "vera" | "bob" | "nina", ReturnType<TenantWorld["as"]>> = {} as never;

  beforeAll(async () => {
    world = await TenantWorld.start({ more: quotaKinds });
    for (const [organization, of] of [
      ["acme", "web"],
      ["beta", "shop"],
    ] as const) {
      await world.organization(organization);
      await world.project(of, organization);
      const { server } = world;
      await server.create(
        ofOrganization(organization, "resourcegrants"),
        grant("given", consumerRef("Organization", organization)),
      );
      await server.create(
        ofOrganization(organization, "resourceclaims"),
        claim("held", consumerRef("Organization", organization)),
      );
      await server.create(
        inProject(of, `${quota}/namespaces/milo-system/resourcegrants`),
        grant("given", consumerRef("Project", of)),
      );
      await server.create(
        inProject(of, `${quota}/namespaces/default/resourceclaims`),
        claim("held", consumerRef("Project", of)),
      );
      await server.create(inProject(of, maps), { metadata: { name: "kept" } });
      await server.create(inProject(of, secrets), { metadata: { name: "kept" } });
      await server.create(`/api/v1/namespaces/organization-${organization}/secrets`, { metadata: { name: "kept" } });
    }
    await world.server.create(registrations, registration);
    await world.member("acme", "anna", ["admin"]);
    await world.member("acme", "vera", ["view"]);
    await world.member("beta", "bob", ["view", "admin"]);
    for (const user of ["anna", "vera", "bob", "nina"] as const) as[user] = world.as(await world.token({ user }));
  });

  afterAll(() => world.stop());

  /** Status codes of a GET for anna, vera, bob and nina. */
  const reads: Record<string, [path: string, codes: [anna: number, vera: number, bob: number, nina: number]]> = {
    "the organization": [inOrganization("acme", `${organizations}/acme`), [200, 200, 403, 403]],
    "its projects": [inOrganization("acme", projects), [200, 200, 403, 403]],
    "a project of it": [inOrganization("acme", `${projects}/web`), [200, 200, 403, 403]],
    "the other's project through its endpoint": [inOrganization("acme", `${projects}/shop`), [404, 404, 403, 403]],
    "the other organization through its endpoint": [
      inOrganization("acme", `${organizations}/beta`),
      [404, 404, 403, 403],
    ],
    "its members": [inOrganization("acme", memberships("acme")), [200, 200, 403, 403]],
    "the other's members through its endpoint": [inOrganization("acme", memberships("beta")), [403, 403, 403, 403]],
    "its grants": [inOrganization("acme", ofOrganization("acme", "resourcegrants")), [200, 200, 403, 403]],
    "its claims in all namespaces": [inOrganization("acme", `${quota}/resourceclaims`), [200, 200, 403, 403]],
    "its buckets": [inOrganization("acme", `${quota}/allowancebuckets`), [200, 200, 403, 403]],
    "its effective grants": [inOrganization("acme", `${quota}/effectiveresourcegrants`), [200, 200, 403, 403]],
    registrations: [inOrganization("acme", registrations), [200, 200, 403, 403]],
    "its namespace": [inOrganization("acme", "/api/v1/namespaces/organization-acme"), [200, 200, 403, 403]],
    "the other's namespace": [inOrganization("acme", "/api/v1/namespaces/organization-beta"), [403, 403, 403, 403]],
    "its secrets": [inOrganization("acme", "/api/v1/namespaces/organization-acme/secrets"), [403, 403, 403, 403]],
    "the tokens": [inOrganization("acme", "/api/v1/namespaces/milo-system/secrets"), [403, 403, 403, 403]],
    "all secrets": [inOrganization("acme", "/api/v1/secrets"), [403, 403, 403, 403]],
    "all users": [inOrganization("acme", "/apis/iam.miloapis.com/v1alpha1/users"), [403, 403, 403, 403]],
    "roles of the root": [
      inOrganization("acme", "/apis/rbac.authorization.k8s.io/v1/clusterroles"),
      [403, 403, 403, 403],
    ],
    "the project's config maps": [inProject("web", maps), [200, 200, 403, 403]],
    "the project's secrets": [inProject("web", secrets), [200, 403, 403, 403]],
    "the project's buckets": [inProject("web", `${quota}/allowancebuckets`), [200, 200, 403, 403]],
    "the project's grants": [inProject("web", `${quota}/resourcegrants`), [200, 200, 403, 403]],
    "all projects in the root": [projects, [403, 403, 403, 403]],
    "their project in the root": [`${projects}/web`, [403, 403, 403, 403]],
    "their claims in the root": [ofOrganization("acme", "resourceclaims"), [403, 403, 403, 403]],
    "all organizations in the root": [organizations, [403, 403, 403, 403]],
    "a missing project": [inProject("nowhere", maps), [403, 403, 403, 403]],
    "a missing organization": [inOrganization("nowhere", projects), [403, 403, 403, 403]],
    "discovery in the organization": [inOrganization("acme", "/apis"), [200, 200, 200, 200]],
    "discovery in the project": [inProject("web", "/apis"), [200, 200, 200, 200]],
  };
  for (const [what, [path, codes]] of Object.entries(reads)) {
    it(`get the expected status for ${what}`, async () => {
      const answers = await Promise.all(
        [as.anna, as.vera, as.bob, as.nina].map(async (who) => (await who.get(path)).code),
      );
      expect(answers).toEqual(codes);
    });
  }

  it("list and watch only their own objects", async () => {
    const names = async (who: "anna" | "bob", of: string, path: string): Promise<string[]> =>
      (await as[who].get(inOrganization(of, path))).body.items.map(
        ({ metadata }: { metadata: { name: string; namespace?: string } }) =>
          `${metadata.namespace ?? ""}/${metadata.name}`,
      );
    expect(await names("anna", "acme", projects)).toEqual(["/web"]);
    expect(await names("bob", "beta", projects)).toEqual(["/shop"]);
    expect(await names("anna", "acme", organizations)).toEqual(["/acme"]);
    expect(await names("anna", "acme", "/api/v1/namespaces")).toEqual(["/organization-acme"]);
    expect(await names("anna", "acme", `${quota}/resourceclaims`)).toEqual(["organization-acme/held"]);
    expect(await names("bob", "beta", `${quota}/resourcegrants`)).toEqual(["organization-beta/given"]);
    const reader = await as.anna.watch(inOrganization("acme", `${projects}?watch=true`));
    await world.project("later", "beta");
    await world.server.remove(`${projects}/later`);
    await world.gone(`${projects}/later`);
    expect(reader.events.map(({ object }) => object.metadata.name)).toEqual(["web"]);
    reader.close();
  });

  type Act = (who: ReturnType<TenantWorld["as"]>) => Promise<{ code: number }>;
  const forbidden: Record<string, Act> = {
    "create a grant for themselves": (who) =>
      who.create(
        inOrganization("acme", ofOrganization("acme", "resourcegrants")),
        grant("more", consumerRef("Organization", "acme")),
      ),
    "create a grant in their project": (who) =>
      who.create(
        inProject("web", `${quota}/namespaces/default/resourcegrants`),
        grant("more", consumerRef("Project", "web")),
      ),
    "raise a grant": (who) =>
      who.merge(inOrganization("acme", `${ofOrganization("acme", "resourcegrants")}/given`), {
        spec: { expiresAt: null },
      }),
    "delete a grant": (who) => who.remove(inOrganization("acme", `${ofOrganization("acme", "resourcegrants")}/given`)),
    "change the status of a claim": (who) =>
      who.merge(inOrganization("acme", `${ofOrganization("acme", "resourceclaims")}/held/status`), { status: {} }),
    "change annotations of a claim": (who) =>
      who.merge(inOrganization("acme", `${ofOrganization("acme", "resourceclaims")}/held`), {
        metadata: { annotations: { a: "b" } },
      }),
    "create a bucket": (who) => who.create(inProject("web", `${quota}/namespaces/milo-system/allowancebuckets`), {}),
    "create a registration": (who) => who.create(inOrganization("acme", registrations), registration),
    "create a registration in their project": (who) => who.create(inProject("web", registrations), registration),
    "delete a registration": (who) => who.remove(inOrganization("acme", `${registrations}/projects`)),
    "create objects in the project's system namespace": (who) =>
      who.create(inProject("web", "/api/v1/namespaces/milo-system/configmaps"), { metadata: { name: "x" } }),
    "delete the system namespace": (who) => who.remove(inProject("web", "/api/v1/namespaces/milo-system")),
    "create roles in their project": (who) =>
      who.create(inProject("web", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"), bindingToAdmin),
    "create roles in their organization": (who) =>
      who.create(inOrganization("acme", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"), bindingToAdmin),
    "create CRDs in their project": (who) =>
      who.create(inProject("web", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"), {}),
    "create webhooks in their project": (who) =>
      who.create(inProject("web", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"), {}),
    "review tokens of others": (who) =>
      who.create(inProject("web", "/apis/authentication.k8s.io/v1/tokenreviews"), { spec: { token: "x" } }),
    "create projects in the root plane": (who) => who.create(projects, project("mine", "acme")),
    organizations: (who) => who.create(organizations, {}),
    "delete the organization": (who) => who.remove(inOrganization("acme", `${organizations}/acme`)),
    "change the status of their project": (who) =>
      who.merge(inOrganization("acme", `${projects}/web/status`), { status: { conditions: [] } }),
    "create secrets in their organization": (who) =>
      who.create(inOrganization("acme", "/api/v1/namespaces/organization-acme/secrets"), { metadata: { name: "x" } }),
    "impersonate another user": (who) =>
      who.send({ path: inProject("web", maps), headers: { "impersonate-user": ["admin"] } }),
    "impersonate system:masters": (who) => {
      const headers = { "impersonate-user": ["x"], "impersonate-group": ["system:masters"] };
      return who.send({ path: inOrganization("acme", projects), headers });
    },
  };
  for (const [what, act] of Object.entries(forbidden)) {
    it(`cannot ${what}`, async () => {
      const before = world.server.server.registry.store.revision;
      for (const who of [as.anna, as.vera, as.bob, as.nina]) expect([401, 403]).toContain((await act(who)).code);
      expect(world.server.server.registry.store.revision).toBe(before);
    });
  }

  const forAdministrators: Record<string, Act> = {
    "create ConfigMaps in the project": (who) => who.create(inProject("web", maps), { metadata: { name: "made" } }),
    "update ConfigMaps in the project": (who) => who.merge(inProject("web", `${maps}/made`), { data: { a: "b" } }),
    "delete ConfigMaps in the project": (who) => who.remove(inProject("web", `${maps}/made`)),
    "create namespaces in the project": (who) =>
      who.create(inProject("web", "/api/v1/namespaces"), { metadata: { name: "team" } }),
    "create projects": (who) => who.create(inOrganization("acme", projects), project("made")),
    "label projects": (who) =>
      who.merge(inOrganization("acme", `${projects}/made`), { metadata: { labels: { a: "b" } } }),
    "delete projects": (who) => who.remove(inOrganization("acme", `${projects}/made`)),
    "create memberships": (who) =>
      who.create(inOrganization("acme", memberships("acme")), membership("nina", { userRef: { name: "nina" } })),
    "update memberships": (who) =>
      who.merge(inOrganization("acme", `${memberships("acme")}/nina`), { spec: { roles: ["admin"] } }),
    "delete memberships": (who) => who.remove(inOrganization("acme", `${memberships("acme")}/nina`)),
    "claim for the organization": (who) =>
      who.create(
        inOrganization("acme", ofOrganization("acme", "resourceclaims")),
        claim("own", consumerRef("Organization", "acme")),
      ),
    "delete their claims": (who) =>
      who.remove(inOrganization("acme", `${ofOrganization("acme", "resourceclaims")}/own`)),
    "claim for the project": (who) =>
      who.create(
        inProject("web", `${quota}/namespaces/default/resourceclaims`),
        claim("own", consumerRef("Project", "web")),
      ),
  };
  it("can be managed only by their admins", async () => {
    for (const [what, act] of Object.entries(forAdministrators)) {
      for (const who of [as.vera, as.bob, as.nina]) expect([what, (await act(who)).code]).toEqual([what, 403]);
      const { code } = await act(as.anna);
      expect([what, [200, 201].includes(code)]).toEqual([what, true]);
      await world.server.settled();
    }
  });

  it("own the projects and memberships that are created through their organization's endpoint", async () => {
    const created = await as.anna.create(inOrganization("acme", projects), project("ours"));
    expect(created.body.spec.ownerRef).toEqual({ kind: "Organization", name: "acme" });
    const theirs = await as.anna.create(inOrganization("acme", projects), project("theirs", "beta"));
    expect(theirs.code).toBe(403);
    const spec = { organizationRef: { name: "beta" }, userRef: { name: "anna" }, roles: ["admin"] };
    await as.anna.create(inOrganization("acme", memberships("acme")), membership("sly", spec));
    await world.until(
      `${memberships("acme")}/sly`,
      ({ status }) => status?.conditions?.[0].reason === "WrongNamespace",
    );
    expect((await as.anna.get(inOrganization("beta", projects))).code).toBe(403);
    const taken = await as.anna.create(inOrganization("acme", projects), project("shop"));
    expect(taken.code).toBe(409);
    await as.anna.remove(inOrganization("acme", `${projects}/ours`));
    await world.gone(`${projects}/ours`);
  });

  it("cannot create or delete automatic claims", async () => {
    const there = inProject("web", `${quota}/namespaces/default/resourceclaims`);
    const automatic = { labels: { "quota.miloapis.com/auto-created": "true" } };
    const rejected = [
      await as.anna.create(there, claim("forged", consumerRef("Project", "web"), automatic)),
      await as.anna.create(
        there,
        claim("forged", consumerRef("Project", "web"), { finalizers: ["quota.miloapis.com/bucket"] }),
      ),
    ];
    expect(rejected.map(({ code }) => code)).toEqual([403, 403]);
    await world.server.create(there, claim("automatic", consumerRef("Project", "web"), automatic));
    const removed = await as.anna.remove(`${there}/automatic`);
    expect([removed.code, removed.body.message]).toEqual([403, expect.stringContaining("it belongs to an object")]);
    expect((await as.anna.remove(there)).code).toBe(403);
    expect((await world.server.get(`${there}/automatic`)).code).toBe(200);
  });

  it("can review their own access at their endpoints", async () => {
    const review = async (
      who: "anna" | "vera" | "bob",
      at: string,
      verb: string,
      resource: string,
    ): Promise<boolean> => {
      const resourceAttributes = { group: "resourcemanager.miloapis.com", resource, verb };
      const body = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes },
      };
      return (await as[who].create(`${at}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`, body)).body.status
        .allowed;
    };
    const at = inOrganization("acme", "");
    expect(await review("anna", at, "create", "projects")).toBe(true);
    expect(await review("vera", at, "create", "projects")).toBe(false);
    expect(await review("vera", at, "list", "projects")).toBe(true);
    expect(await review("bob", at, "list", "projects")).toBe(false);
    expect(await review("anna", "", "list", "projects")).toBe(false);
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace: "default" },
    };
    const listed = await as.anna.create(`${at}/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`, body);
    expect(listed.body.status).toMatchObject({
      incomplete: true,
      evaluationError: expect.stringContaining("not listed"),
    });
  });

  it("cannot read a new organization that reuses the name of their own", async () => {
    await world.organization("gamma");
    await world.member("gamma", "anna", ["admin"]);
    const readers = [
      await as.anna.watch(inOrganization("gamma", `${projects}?watch=true`)),
      await as.anna.watch(inOrganization("gamma", `${quota}/resourceclaims?watch=true`)),
    ];
    await as.anna.create(inOrganization("gamma", projects), project("early"));
    await world.server.remove(`${organizations}/gamma`);
    await world.gone(`${organizations}/gamma`);
    await world.organization("gamma");
    await world.project("late", "gamma");
    const claims = ofOrganization("gamma", "resourceclaims");
    await world.server.create(claims, claim("late", consumerRef("Organization", "gamma")));
    await world.server.settled();
    const events = readers.flatMap(({ events }) => events.map(({ object }) => object.metadata.name));
    expect(new Set(events)).toEqual(new Set(["early"]));
    expect(readers.map(({ ended }) => ended)).toEqual(["ended", "ended"]);
    expect((await as.anna.get(inOrganization("gamma", projects))).code).toBe(403);
    expect((await as.anna.get(inProject("late", maps))).code).toBe(403);
  });

  it("lose access with the membership, the user or the token", async () => {
    await world.member("acme", "temp", ["view"]);
    const token = await world.token({ user: "temp" });
    const code = async () => (await world.as(token).get(inOrganization("acme", projects))).code;
    expect(await code()).toBe(200);
    await world.server.remove("/apis/iam.miloapis.com/v1alpha1/users/temp");
    await world.server.until("the user has none", async () => (await code()) === 403);
    await world.server.create("/apis/iam.miloapis.com/v1alpha1/users", {
      apiVersion: "iam.miloapis.com/v1alpha1",
      kind: "User",
      metadata: { name: "temp" },
    });
    await world.server.until("the user has them again", async () => (await code()) === 200);
    await world.server.remove(`${memberships("acme")}/temp`);
    await world.server.until("the member has none", async () => (await code()) === 403);
    await world.server.remove("/api/v1/namespaces/milo-system/secrets?labelSelector=iam.miloapis.com/user=temp");
    await world.server.until("the token is none", async () => (await code()) === 401);
  });
});
