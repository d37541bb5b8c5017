import { afterEach, beforeEach, describe, expect, it } from "vitest";
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
  readyOf,
  TenantWorld,
  usersPath,
} from "./tenant-world.ts";

const namespaceOf = (name: string): string => `/api/v1/namespaces/organization-${name}`;
const maps = "/api/v1/namespaces/default/configmaps";

describe("tenants", () => {
  let world: TenantWorld;

  beforeEach(async () => {
    world = await TenantWorld.start();
  });

  afterEach(() => world.stop());

  it("create the namespace of an organization and report it as ready", async () => {
    await world.organization("acme", { type: "Standard" });
    const { body } = await world.server.get(`${organizations}/acme`);
    expect(body.status).toMatchObject({ phase: "Active", namespace: "organization-acme", observedGeneration: 1 });
    expect(readyOf(body)).toMatchObject({ status: "True", reason: "OrganizationReady" });
    const namespace = await world.server.get(namespaceOf("acme"));
    expect(namespace.body.metadata.labels).toMatchObject({ "resourcemanager.miloapis.com/organization-name": "acme" });
    expect(namespace.body.metadata.ownerReferences[0]).toMatchObject({ kind: "Organization", uid: body.metadata.uid });
  });

  it("adopt an existing namespace and recreate it after a delete", async () => {
    await world.server.create("/api/v1/namespaces", {
      metadata: { name: "organization-acme", labels: { mine: "yes" } },
    });
    await world.organization("acme");
    const { body: before } = await world.server.get(namespaceOf("acme"));
    expect(before.metadata.labels).toMatchObject({
      mine: "yes",
      "resourcemanager.miloapis.com/organization-name": "acme",
    });
    await world.server.remove(namespaceOf("acme"));
    await world.until(namespaceOf("acme"), ({ metadata }) => metadata.uid !== before.metadata.uid);
  });

  it("create a control plane with namespaces for a project", async () => {
    await world.organization("acme");
    await world.project("web", "acme");
    for (const namespace of ["default", "milo-system"]) {
      expect((await world.server.get(inProject("web", `/api/v1/namespaces/${namespace}`))).code).toBe(200);
    }
    await world.server.create(inProject("web", maps), { metadata: { name: "mine" } });
    expect((await world.server.get(`${maps}/mine`)).code).toBe(404);
    expect((await world.server.get(inProject("web", usersPath))).code).toBe(200);
  });

  it("keep a project pending until its organization exists", async () => {
    await world.server.create(projects, project("web", "acme"));
    const isWaiting = (body: object) => readyOf(body)?.reason === "OrganizationNotFound";
    await world.until(`${projects}/web`, isWaiting);
    const rejected = await world.server.get(inProject("web", maps));
    expect([rejected.code, rejected.body.details.retryAfterSeconds]).toEqual([503, 1]);
    await world.organization("acme");
    await world.until(`${projects}/web`, (body) => readyOf(body)?.status === "True");
    expect((await world.server.get(inProject("web", maps))).code).toBe(200);
  });

  it("delete a project with all its objects; a new one of the same name is empty", async () => {
    await world.organization("acme");
    await world.project("web", "acme");
    await world.server.create(inProject("web", maps), { metadata: { name: "old", finalizers: ["example.com/stuck"] } });
    await world.server.remove(`${projects}/web`);
    await world.gone(`${projects}/web`);
    const { store } = world.server.server.registry;
    const left = store.resources().filter((resource) => store.count({ plane: "project-web", resource }) > 0);
    expect(left).toEqual([]);
    const unknown = await world.server.get(inProject("web", maps));
    expect([unknown.code, unknown.body.message]).toEqual([
      404,
      'projects.resourcemanager.miloapis.com "web" not found',
    ]);
    await world.project("web", "acme");
    expect((await world.server.get(inProject("web", `${maps}/old`))).code).toBe(404);
    expect((await world.server.create(inProject("web", maps), { metadata: { name: "new" } })).code).toBe(201);
  });

  it("leave nothing to a new project of the same name, even if the finalizer was removed", async () => {
    await world.organization("acme");
    await world.project("web", "acme");
    await world.server.create(inProject("web", maps), { metadata: { name: "old" } });
    world.crashAfter(0);
    await world.server.remove(`${projects}/web`);
    await world.server.merge(`${projects}/web`, { metadata: { finalizers: null } });
    await world.gone(`${projects}/web`);
    await world.server.create(projects, project("web", "acme"));
    await world.startTenancy();
    await world.until(`${projects}/web`, (body) => readyOf(body)?.status === "True");
    expect((await world.server.get(inProject("web", `${maps}/old`))).code).toBe(404);
  });

  it("delete the objects of a project whose finalizer was removed", async () => {
    await world.organization("acme");
    await world.project("web", "acme");
    const { store } = world.server.server.registry;
    expect(store.count({ plane: "project-web", resource: "namespaces" })).toBeGreaterThan(0);
    await world.server.merge(`${projects}/web`, { metadata: { finalizers: null } });
    await world.server.remove(`${projects}/web`);
    await world.server.until(
      "its plane is empty",
      () => store.count({ plane: "project-web", resource: "namespaces" }) === 0,
    );
  });

  it("delete an organization with its projects and its namespace, and allow its name again", async () => {
    await world.organization("acme");
    await world.organization("other");
    await world.project("web", "acme");
    await world.project("api", "acme");
    await world.project("kept", "other");
    await world.server.create(`${namespaceOf("acme")}/configmaps`, { metadata: { name: "old" } });
    const { body: before } = await world.server.get(`${organizations}/acme`);
    await world.server.remove(`${organizations}/acme`);
    await world.gone(`${organizations}/acme`);
    for (const path of [`${projects}/web`, `${projects}/api`, namespaceOf("acme")]) {
      expect((await world.server.get(path)).code).toBe(404);
    }
    expect((await world.server.get(inProject("kept", maps))).code).toBe(200);
    await world.organization("acme");
    await world.project("web", "acme");
    const { body: after } = await world.server.get(`${organizations}/acme`);
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect((await world.server.get(`${namespaceOf("acme")}/configmaps/old`)).code).toBe(404);
  });

  it("leave nothing to a new organization of the same name, even if the finalizer was removed", async () => {
    await world.organization("acme");
    await world.project("web", "acme");
    await world.server.create(`${namespaceOf("acme")}/configmaps`, { metadata: { name: "old" } });
    await world.server.create(inProject("web", maps), { metadata: { name: "old" } });
    await world.member("acme", "alice", ["admin"]);
    const alice = world.as(await world.token({ user: "alice" }));
    world.crashAfter(0); // before the finalizer is removed, which tenancy would restore
    await world.server.merge(`${organizations}/acme`, { metadata: { finalizers: null } });
    await world.server.remove(`${organizations}/acme`);
    await world.server.create(organizations, organization("acme"));
    await world.startTenancy();
    for (const path of [inProject("web", maps), inOrganization("acme", projects)]) {
      expect((await alice.get(path)).code).toBe(403);
    }
    await world.gone(`${projects}/web`);
    await world.until(`${organizations}/acme`, ({ status }) => status?.phase === "Active");
    expect((await world.server.get(`${namespaceOf("acme")}/configmaps/old`)).code).toBe(404);
    const { store } = world.server.server.registry;
    expect(store.count({ plane: "project-web", resource: "configmaps" })).toBe(0);
  });

  it("delete projects that are created while their organization is being deleted", async () => {
    await world.organization("acme");
    await world.server.merge(`${organizations}/acme`, {
      metadata: { finalizers: ["example.com/held", "resourcemanager.miloapis.com/tenancy"] },
    });
    await world.project("web", "acme");
    await world.server.merge(`${projects}/web`, {
      metadata: { finalizers: ["example.com/held", "resourcemanager.miloapis.com/tenancy"] },
    });
    await world.server.remove(`${organizations}/acme`);
    await world.until(`${organizations}/acme`, ({ status }) => status.phase === "Terminating");
    await world.server.create(projects, project("late", "acme"));
    await world.gone(`${projects}/late`);
    await world.server.merge(`${projects}/web`, { metadata: { finalizers: null } });
    await world.server.until("its part is done", async () => {
      const { body } = await world.server.get(`${organizations}/acme`);
      return body.metadata.finalizers.join() === "example.com/held";
    });
  });

  it("report why a membership is not effective", async () => {
    await world.organization("acme");
    const make = (name: string, spec: object, of = "acme") =>
      world.server.create(memberships(of), membership(name, spec));
    await make("alice", { organizationRef: { name: "acme" }, userRef: { name: "alice" } });
    await make("stray", { organizationRef: { name: "other" }, userRef: { name: "alice" } });
    await make("team", { organizationRef: { name: "acme" }, groupRef: { name: "team" }, roles: ["admin"] });
    const reason = (name: string, wanted: string) =>
      world.until(`${memberships("acme")}/${name}`, (body) => readyOf(body)?.reason === wanted);
    await reason("alice", "UserNotFound");
    await reason("stray", "WrongNamespace");
    await reason("team", "MembershipActive");
    await world.server.create(usersPath, person("alice"));
    await reason("alice", "MembershipActive");
    await world.server.remove(`${usersPath}/alice`);
    await reason("alice", "UserNotFound");
  });

  const rejected: Record<string, [path: string, body: object, because: string]> = {
    "an organization whose name is too long for its namespace": [
      organizations,
      organization("a".repeat(51)),
      "the name must have at most 50 characters and no dots",
    ],
    "an organization with a dot in its name": [organizations, organization("acme.com"), "no dots"],
    "a project without an organization": [projects, project("web"), "spec.ownerRef: Required value"],
    "a project of another kind of owner": [
      projects,
      { ...project("web"), spec: { ownerRef: { kind: "User", name: "alice" } } },
      'Unsupported value: "User"',
    ],
  };
  for (const [what, [path, body, because]] of Object.entries(rejected)) {
    it(`reject ${what}`, async () => {
      const { code, body: status } = await world.server.create(path, body);
      expect(code).toBe(422);
      expect(status.message).toContain(because);
    });
  }

  it("reject memberships without a subject, with two subjects, of all users, and with unknown roles", async () => {
    await world.organization("acme");
    const organizationRef = { name: "acme" };
    const [userRef, groupRef] = [{ name: "alice" }, { name: "team" }];
    const cases: [spec: object, because: string][] = [
      [{ organizationRef }, "set exactly one of userRef and groupRef"],
      [{ organizationRef, userRef, groupRef }, "set exactly one of userRef and groupRef"],
      [{ organizationRef, groupRef: { name: "system:authenticated" } }, "groups that start with system:"],
      [{ organizationRef, userRef, roles: ["owner"] }, 'Unsupported value: "owner"'],
      [{ organizationRef, userRef, roles: [] }, "should have at least 1 items"],
      [{ userRef }, "spec.organizationRef: Required value"],
    ];
    for (const [spec, because] of cases) {
      const { code, body } = await world.server.create(memberships("acme"), membership("x", spec));
      expect([code, body.message]).toEqual([422, expect.stringContaining(because)]);
    }
  });

  it("keep their owner immutable", async () => {
    await world.organization("acme");
    await world.project("web", "acme");
    await world.member("acme", "alice", ["view"]);
    const moved = await world.server.merge(`${projects}/web`, { spec: { ownerRef: { name: "other" } } });
    expect([moved.code, moved.body.message]).toEqual([422, expect.stringContaining("ownerRef is immutable")]);
    const alice = `${memberships("acme")}/alice`;
    expect((await world.server.merge(alice, { spec: { userRef: { name: "bob" } } })).code).toBe(422);
    expect((await world.server.merge(alice, { spec: { organizationRef: { name: "b" } } })).code).toBe(422);
    expect((await world.server.merge(alice, { spec: { userRef: null, groupRef: { name: "g" } } })).code).toBe(422);
    expect((await world.server.merge(alice, { spec: { roles: ["admin"] } })).code).toBe(200);
  });

  it("write nothing when there is nothing to do, also after a restart", async () => {
    await world.organization("acme");
    await world.project("web", "acme");
    await world.member("acme", "alice", ["view"]);
    await world.server.settled();
    expect(await world.writesIn(60_000)).toBe(0);
    await world.tenancy.stop();
    await world.startTenancy();
    expect(await world.writesIn(60_000)).toBe(0);
    expect((await world.server.get(inProject("web", maps))).code).toBe(200);
  });
});
