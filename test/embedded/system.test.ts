import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { lightAbortController } from "@milo-quota/kubernetes/client/light-abort-controller.ts";
import { sleep } from "@milo-quota/kubernetes/client/sleep.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Body } from "../apiserver/test-server.ts";
import {
  inOrganization,
  inProject,
  organization,
  organizations,
  project,
  projects,
  quota,
} from "../tenancy/tenant-world.ts";
import { type ApiResponse, eventually } from "./api-client.ts";
import {
  buckets,
  claimPolicies,
  claims,
  expectQuotaRejection,
  hasReason,
  isTrue,
  ProgramWorld,
} from "./program-world.ts";
import {
  configMap,
  configMapsPolicy,
  grantPolicies,
  projectsPolicy,
  registrations,
  secret,
  secretsPolicy,
  service,
  servicesPolicy,
  servicesRegistration,
  types,
} from "./system-manifests.ts";

const secrets = "/api/v1/namespaces/default/secrets";
const configMaps = "/api/v1/namespaces/default/configmaps";
const secretsOf = (name: string): string => inProject(name, secrets);
const mapsOf = (name: string): string => inProject(name, configMaps);
const projectsOf = (name: string): string => inOrganization(name, projects);

/** A policy that the test breaks on purpose. */
const brokenOnPurpose = /ClaimCreationPolicy "secrets": .*amountExpression/;

let world: ProgramWorld;

beforeAll(async () => {
  world = await ProgramWorld.build(brokenOnPurpose);
}, 60_000);

afterAll(() => world.remove());

const noMoreProjects = [
  types.projects,
  `${types.projects} for Organization "acme": requested 1 project, limit 2, allocated 2, reserved 0, available 0`,
] as const;
const noMoreSecrets = [
  types.secrets,
  `${types.secrets} for Project "web": requested 1 secret, limit 2, allocated 2, reserved 0, available 0`,
] as const;
const nothingOfServices = [
  types.services,
  `${types.services} for Project "web": requested 1 service, limit 0, allocated 0, reserved 0, available 0`,
] as const;
const noMoreMaps = [
  types.configMaps,
  `${types.configMaps} for Project "web": requested 1 config map, limit 3, allocated 3, reserved 0, available 0`,
] as const;

/** The state at the end of a run, and after the restart. */
async function expectTheEnd(): Promise<void> {
  await world.shows("acme", "", { [types.projects]: [2, 2, 0, 0] });
  await world.shows("beta", "", { [types.projects]: [2, 0, 0, 2] });
  await world.shows("web", "web", { [types.secrets]: [2, 1, 0, 1], [types.configMaps]: [3, 0, 0, 3] });
  await world.shows("blog", "blog", { [types.secrets]: [2, 0, 0, 2], [types.configMaps]: [3, 0, 0, 3] });
}

async function apply(path: string, wanted: object, holds: (object: Body) => boolean): Promise<void> {
  await world.expectSuccess(world.admin.apply(path, wanted));
  await world.admin.until(path, holds);
}

const newOrganization = (name: string): Promise<void> =>
  apply(`${organizations}/${name}`, organization(name), ({ status }) => status?.phase === "Active");

async function removeOrganization(name: string): Promise<void> {
  await world.admin.remove(`${organizations}/${name}`);
  await world.admin.gone(`${organizations}/${name}`);
  await world.admin.gone(`/api/v1/namespaces/organization-${name}`);
}

async function newProject(of: string, name: string): Promise<void> {
  const owner = of === "acme" ? "anna" : "bob";
  await world.expectSuccess(world.as(owner).create(projectsOf(of), project(name)));
  await world.admin.until(`${projects}/${name}`, isTrue("Ready"));
  await world.shows(name, name, { [types.secrets]: [2, 0, 0, 2], [types.configMaps]: [3, 0, 0, 3] });
}

/** Creation timestamps have a resolution of seconds: an object of the second in which a policy becomes ready counts as newer. */
async function nextSecondAfter(time: string): Promise<void> {
  const leftMs = Date.parse(time) + 1_000 - systemClock.now();
  if (leftMs > 0) await sleep(systemClock, leftMs, lightAbortController().signal);
}

/** Each of these Secrets owns its bound claim with a finalizer, and there are no other claims. */
async function expectOwned(plane: string, names: readonly string[]): Promise<void> {
  const uidOf = async (name: string) => (await world.admin.get(`${secretsOf(plane)}/${name}`)).body.metadata.uid;
  const { body } = await world.admin.get(inProject(plane, claims));
  const owners = body.items.map(({ metadata }: Body) => metadata.ownerReferences?.map(({ uid }: Body) => uid));
  expect(owners.sort()).toEqual((await Promise.all(names.map(async (name) => [await uidOf(name)]))).sort());
  for (const { metadata } of body.items) {
    expect(metadata.annotations["quota.miloapis.com/bound"]).toBe(metadata.ownerReferences[0].uid);
    expect(metadata.finalizers).toEqual(["quota.miloapis.com/resource-claim-cleanup"]);
  }
}

const expectSuccess = (answer: Promise<ApiResponse>): Promise<ApiResponse> => world.expectSuccess(answer);

describe.each(["on an empty data folder", "again after a restart"])("the whole system, %s", (time) => {
  const isFirst = time === "on an empty data folder";
  beforeAll(() => world.start(), 60_000);
  afterAll(() => world.stop());

  it("starts with the state before the restart", async () => {
    if (isFirst) expect((await world.admin.get(organizations)).body.items).toEqual([]);
    else await expectTheEnd();
  });

  it("accepts registrations, grant policies and claim policies", async () => {
    await world.admin.remove(`${claimPolicies}/config-maps`);
    await world.admin.gone(`${claimPolicies}/config-maps`);
    for (const [name, wanted] of Object.entries(registrations))
      await apply(`${quota}/resourceregistrations/${name}`, wanted, isTrue("Active"));
    for (const [name, wanted] of Object.entries(grantPolicies))
      await apply(`${quota}/grantcreationpolicies/${name}`, wanted, isTrue("Ready"));
    await apply(`${claimPolicies}/projects`, projectsPolicy, isTrue("Ready"));
    await apply(`${claimPolicies}/secrets`, secretsPolicy(), isTrue("Ready"));
  });

  it("reports the current name of a field that manifests for early versions use", async () => {
    const early = {
      apiVersion: "quota.miloapis.com/v1alpha1",
      kind: "ResourceClaim",
      metadata: { name: "early" },
      spec: { ownerRef: { kind: "Organization", name: "acme" }, requests: [] },
    };
    const path = `${quota}/namespaces/default/resourceclaims`;
    const hint = 'unknown field "spec.ownerRef" (use consumerRef instead)';
    const strict = await world.admin.create(`${path}?fieldValidation=Strict`, early);
    expect([strict.code, strict.body.message]).toEqual([400, expect.stringContaining(hint)]);
    expect((await world.admin.create(path, early)).warning).toContain("(use consumerRef instead)");
  });

  it("keeps no state of deleted organizations when their names are reused", async () => {
    for (const name of ["acme", "beta"]) {
      await removeOrganization(name);
      await newOrganization(name);
      await world.shows(name, "", { [types.projects]: [2, 0, 0, 2] });
    }
    expect((await world.admin.get(projects)).body.items).toEqual([]);
  });

  it("authenticates members by their tokens", async () => {
    for (const name of ["anna", "vera", "bob"]) await world.user(name);
    expect((await world.as("anna").get(projectsOf("acme"))).code).toBe(403);
    await world.member("acme", "anna", "admin");
    await world.member("acme", "vera", "view");
    await world.member("beta", "bob", "admin");
    await eventually(async () => expect((await world.as("anna").get(projectsOf("acme"))).code).toBe(200));
  });

  it("rejects a project over the limit of its organization with the numbers, independently of other organizations", async () => {
    await newProject("acme", "web");
    await newProject("acme", "shop");
    expectQuotaRejection(await world.as("anna").create(projectsOf("acme"), project("third")), noMoreProjects);
    expectQuotaRejection(await world.admin.create(projects, project("third", "acme")), noMoreProjects);
    await newProject("beta", "other");
    await world.shows("acme", "", { [types.projects]: [2, 2, 0, 0] });
    await world.shows("beta", "", { [types.projects]: [2, 1, 0, 1] });
  });

  it("admits exactly as many new projects as were deleted", async () => {
    await expectSuccess(world.as("anna").remove(`${projectsOf("acme")}/shop`));
    await world.admin.gone(`${projects}/shop`);
    await world.shows("acme", "", { [types.projects]: [2, 1, 0, 1] });
    await newProject("acme", "blog");
    expectQuotaRejection(await world.as("anna").create(projectsOf("acme"), project("shop")), noMoreProjects);
  });

  it("counts Secrets in the control plane of each project separately", async () => {
    const anna = world.as("anna");
    for (const name of ["one", "two"]) await expectSuccess(anna.create(secretsOf("web"), secret(name)));
    expectQuotaRejection(await anna.create(secretsOf("web"), secret("three")), noMoreSecrets);
    await expectSuccess(anna.create(secretsOf("web"), secret("of-another-type", "example.com/other")));
    await expectSuccess(anna.create(secretsOf("blog"), secret("one")));
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 0, 0, 3] });
    await expectOwned("web", ["one", "two"]);
    await expectSuccess(anna.remove(`${secretsOf("web")}/two`));
    await eventually(() => expectOwned("web", ["one"]));
    await world.shows("web", "web", { [types.secrets]: [2, 1, 0, 1], [types.configMaps]: [3, 0, 0, 3] });
    await expectSuccess(anna.create(secretsOf("web"), secret("three")));
    expectQuotaRejection(await anna.create(secretsOf("web"), secret("two")), noMoreSecrets);
    await expectSuccess(anna.remove(`${secretsOf("blog")}/one`));
  });

  it("adopts objects older than a policy if the policy enables adoption", async () => {
    const anna = world.as("anna");
    for (const name of ["early-1", "early-2"]) await expectSuccess(anna.create(mapsOf("web"), configMap(name)));
    await expectSuccess(anna.create(mapsOf("web"), configMap("uncounted", "no")));
    await apply(`${claimPolicies}/config-maps`, configMapsPolicy, isTrue("Ready"));
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 2, 0, 1] });
    await expectSuccess(anna.create(mapsOf("web"), configMap("late")));
    expectQuotaRejection(await anna.create(mapsOf("web"), configMap("later")), noMoreMaps);
  });

  it("counts an object that gets the label later", async () => {
    const path = `${mapsOf("web")}/uncounted`;
    expectQuotaRejection(await world.as("anna").merge(path, { metadata: { labels: { counted: "yes" } } }), noMoreMaps);
    await expectSuccess(world.as("anna").remove(`${mapsOf("web")}/early-1`));
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 2, 0, 1] });
    await expectSuccess(world.as("anna").merge(path, { metadata: { labels: { counted: "yes" } } }));
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 3, 0, 0] });
  });

  it("does not evaluate a disabled policy until it is enabled", async () => {
    await apply(`${claimPolicies}/secrets`, secretsPolicy({ enabled: false }), hasReason("PolicyDisabled"));
    const { body } = await expectSuccess(world.as("anna").create(secretsOf("web"), secret("while-off")));
    await nextSecondAfter(body.metadata.creationTimestamp);
    await apply(`${claimPolicies}/secrets`, secretsPolicy({ disabled: false }), isTrue("Ready"));
    expectQuotaRejection(await world.as("anna").create(secretsOf("web"), secret("while-on")), noMoreSecrets);
    await expectSuccess(world.as("anna").remove(`${secretsOf("web")}/while-off`));
  });

  it("answers with an error that names a failing policy until it is fixed", async () => {
    const unreadable = secretsPolicy({}, { amountExpression: "size(" });
    expect((await world.admin.apply(`${claimPolicies}/secrets`, unreadable)).code).toBe(422);
    const broken = secretsPolicy({}, { amountExpression: 'int(object.metadata.annotations["size"])' });
    await apply(`${claimPolicies}/secrets`, broken, isTrue("Ready"));
    const answer = await world.as("anna").create(secretsOf("web"), secret("unlucky"));
    expect(answer.code, answer.text).toBe(500);
    expect(answer.body.details.causes.map(({ reason }: Body) => reason)).toEqual(["QuotaMisconfigured"]);
    expect(answer.body.message).toContain("secrets");
    await apply(`${claimPolicies}/secrets`, secretsPolicy(), isTrue("Ready"));
    expectQuotaRejection(await world.as("anna").create(secretsOf("web"), secret("unlucky")), noMoreSecrets);
  });

  it("only warns for a policy in Shadow mode", async () => {
    await apply(`${claimPolicies}/secrets`, secretsPolicy({ mode: "Shadow" }), isTrue("Ready"));
    const answer = await expectSuccess(world.as("anna").create(secretsOf("web"), secret("in-the-shadow")));
    expect(answer.warning).toContain("is in Shadow mode; Enforce would reject this: ");
    await expectSuccess(world.as("anna").remove(`${secretsOf("web")}/in-the-shadow`));
    await apply(`${claimPolicies}/secrets`, secretsPolicy(), isTrue("Ready"));
    expectQuotaRejection(await world.as("anna").create(secretsOf("web"), secret("in-the-light")), noMoreSecrets);
  });

  it("rejects by default without a grant, only in the control plane of the policy", async () => {
    const [anna, policy] = [world.as("anna"), inProject("web", `${claimPolicies}/services`)];
    const servicesOf = (name: string): string => inProject(name, "/api/v1/namespaces/default/services");
    const registration = `${quota}/resourceregistrations/services`;
    await apply(policy, servicesPolicy, hasReason("ValidationFailed"));
    await apply(registration, servicesRegistration, isTrue("Active"));
    await world.admin.until(policy, isTrue("Ready"));
    const answer = await anna.create(servicesOf("web"), service("first"));
    expectQuotaRejection(answer, nothingOfServices);
    expect(answer.body.message).toContain('Project "web" has no grant for it yet.');
    await expectSuccess(anna.create(servicesOf("blog"), service("first")));
    await expectSuccess(world.admin.remove(policy));
    await world.admin.gone(policy);
    await expectSuccess(anna.create(servicesOf("web"), service("first")));
    await expectSuccess(world.admin.remove(registration));
    await world.admin.gone(registration);
  });

  it("admits one of many concurrent creates of an object and counts it once", async () => {
    const anna = world.as("anna");
    await expectSuccess(anna.remove(`${secretsOf("web")}/three`));
    await world.shows("web", "web", { [types.secrets]: [2, 1, 0, 1], [types.configMaps]: [3, 3, 0, 0] });
    const answers = await Promise.all(Array.from({ length: 6 }, () => anna.create(secretsOf("web"), secret("three"))));
    expect(answers.map(({ code }) => code).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 3, 0, 0] });
  });

  it("stores manifests as written, in both spellings", async () => {
    const stored = async (path: string): Promise<Body> => (await world.admin.get(path)).body;
    const grants = (await stored(`${quota}/grantcreationpolicies`)).items;
    expect(grants.map(({ spec, status }: Body) => [spec.disabled, spec.enabled, status.enabled])).toEqual([
      [false, undefined, true],
      [undefined, true, true],
    ]);
    const { spec, status } = await stored(`${quota}/resourceregistrations/secrets`);
    expect([spec.consumerType, spec.consumerTypeRef.kind, status.consumerType.kind]).toEqual([
      undefined,
      "Project",
      "Project",
    ]);
    const both = { ...secretsPolicy({ enabled: true, disabled: false }) };
    expect((await world.admin.apply(`${claimPolicies}/secrets`, both)).code).toBe(422);
  });

  it("has the same figures after a restart", async () => {
    const before = [await world.figures("acme", ""), await world.figures("web", "web")];
    await world.stop();
    await world.start();
    expect([await world.figures("acme", ""), await world.figures("web", "web")]).toEqual(before);
    expectQuotaRejection(await world.as("anna").create(secretsOf("web"), secret("after")), noMoreSecrets);
    expectQuotaRejection(await world.as("anna").create(projectsOf("acme"), project("third")), noMoreProjects);
    await expectSuccess(world.as("anna").remove(`${secretsOf("web")}/three`));
    await world.shows("web", "web", { [types.secrets]: [2, 1, 0, 1], [types.configMaps]: [3, 3, 0, 0] });
  });

  it("shows members only their own objects", async () => {
    const own = [inOrganization("acme", buckets), inOrganization("acme", claims), mapsOf("web"), projectsOf("acme")];
    for (const path of own) {
      const codes = await Promise.all(
        ["anna", "vera", "bob"].map(async (user) => (await world.as(user).get(path)).code),
      );
      expect([path, codes]).toEqual([path, [200, 200, 403]]);
    }
    for (const path of [organizations, projects, buckets, claims, secrets, "/api/v1/namespaces"]) {
      const codes = await Promise.all(
        ["anna", "vera", "bob"].map(async (user) => (await world.as(user).get(path)).code),
      );
      expect([path, codes]).toEqual([path, [403, 403, 403]]);
    }
    expect((await world.as("vera").create(mapsOf("web"), configMap("not-hers", "no"))).code).toBe(403);
    const seen = (await world.as("bob").get(inOrganization("beta", buckets))).body.items;
    expect(seen.map(({ spec }: Body) => spec.consumerRef.name)).toEqual(["beta"]);
  });

  it("starts at 0 for a new project of a deleted one's name", async () => {
    await expectSuccess(world.as("anna").remove(`${projectsOf("acme")}/web`));
    await world.admin.gone(`${projects}/web`);
    await world.shows("acme", "", { [types.projects]: [2, 1, 0, 1] });
    await newProject("acme", "web");
    expect((await world.as("anna").get(secretsOf("web"))).body.items).toEqual([]);
    expect((await world.as("anna").get(inProject("web", claims))).body.items).toEqual([]);
    await expectSuccess(world.as("anna").create(secretsOf("web"), secret("one")));
  });

  it("starts at 0 and without members for a new organization of a deleted one's name", async () => {
    await removeOrganization("beta");
    expect((await world.admin.get(`${projects}/other`)).code).toBe(404);
    await newOrganization("beta");
    await world.shows("beta", "", { [types.projects]: [2, 0, 0, 2] });
    expect((await world.as("bob").get(projectsOf("beta"))).code).toBe(403);
  });

  it("passes a recount at the end", async () => {
    await expectTheEnd();
    const { code, stdout, stderr } = await world.command("recount");
    expect(code, stdout + stderr).toBe(0);
  });
});
