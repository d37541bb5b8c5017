import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { pause } from "@milo-quota/kubernetes/client/pause.ts";
import { sharedAbort } from "@milo-quota/kubernetes/client/shared-abort.ts";
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
import { type Answer, eventually } from "./front-door.ts";
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
} from "./story-manifests.ts";
import { buckets, claimPolicies, claims, expectRefused, hasReason, isTrue, StoryWorld } from "./story-world.ts";

const secrets = "/api/v1/namespaces/default/secrets";
const configMaps = "/api/v1/namespaces/default/configmaps";
const secretsOf = (name: string): string => inProject(name, secrets);
const mapsOf = (name: string): string => inProject(name, configMaps);
const projectsOf = (name: string): string => inOrganization(name, projects);

/** The policy that the story breaks, to mend it. */
const brokenOnPurpose = /ClaimCreationPolicy "secrets": .*amountExpression/;

let world: StoryWorld;

beforeAll(async () => {
  world = await StoryWorld.build(brokenOnPurpose);
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

/** Who has what when the story is over, and whenever it is taken up again. */
async function expectTheEnd(): Promise<void> {
  await world.shows("acme", "", { [types.projects]: [2, 2, 0, 0] });
  await world.shows("beta", "", { [types.projects]: [2, 0, 0, 2] });
  await world.shows("web", "web", { [types.secrets]: [2, 1, 0, 1], [types.configMaps]: [3, 0, 0, 3] });
  await world.shows("blog", "blog", { [types.secrets]: [2, 0, 0, 2], [types.configMaps]: [3, 0, 0, 3] });
}

async function apply(path: string, wanted: object, holds: (object: Body) => boolean): Promise<void> {
  await world.made(world.admin.apply(path, wanted));
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
  await world.made(world.as(owner).create(projectsOf(of), project(name)));
  await world.admin.until(`${projects}/${name}`, isTrue("Ready"));
  await world.shows(name, name, { [types.secrets]: [2, 0, 0, 2], [types.configMaps]: [3, 0, 0, 3] });
}

/** Times of objects are in seconds: what is made in the second in which a policy goes to work is taken as made after it. */
async function nextSecondAfter(time: string): Promise<void> {
  const leftMs = Date.parse(time) + 1_000 - systemClock.now();
  if (leftMs > 0) await pause(systemClock, leftMs, sharedAbort().signal);
}

/** Each of these secrets owns its claim, which is bound to it and kept for it; and there is no other claim. */
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

const made = (answer: Promise<Answer>): Promise<Answer> => world.made(answer);

describe.each(["on an empty data folder", "again on what it left"])("the whole system, %s", (time) => {
  const isFirst = time === "on an empty data folder";
  beforeAll(() => world.start(), 60_000);
  afterAll(() => world.stop());

  it("starts with what there was when it was stopped", async () => {
    if (isFirst) expect((await world.admin.get(organizations)).body.items).toEqual([]);
    else await expectTheEnd();
  });

  it("is told what can be counted, who gets how much, and what takes from it", async () => {
    await world.admin.remove(`${claimPolicies}/config-maps`);
    await world.admin.gone(`${claimPolicies}/config-maps`);
    for (const [name, wanted] of Object.entries(registrations))
      await apply(`${quota}/resourceregistrations/${name}`, wanted, isTrue("Active"));
    for (const [name, wanted] of Object.entries(grantPolicies))
      await apply(`${quota}/grantcreationpolicies/${name}`, wanted, isTrue("Ready"));
    await apply(`${claimPolicies}/projects`, projectsPolicy, isTrue("Ready"));
    await apply(`${claimPolicies}/secrets`, secretsPolicy(), isTrue("Ready"));
  });

  it("keeps nothing of organizations that were deleted: under their names others begin", async () => {
    for (const name of ["acme", "beta"]) {
      await removeOrganization(name);
      await newOrganization(name);
      await world.shows(name, "", { [types.projects]: [2, 0, 0, 2] });
    }
    expect((await world.admin.get(projects)).body.items).toEqual([]);
  });

  it("knows members by their tokens", async () => {
    for (const name of ["anna", "vera", "bob"]) await world.user(name);
    expect((await world.as("anna").get(projectsOf("acme"))).code).toBe(403);
    await world.member("acme", "anna", "admin");
    await world.member("acme", "vera", "view");
    await world.member("beta", "bob", "admin");
    await eventually(async () => expect((await world.as("anna").get(projectsOf("acme"))).code).toBe(200));
  });

  it("refuses an organization a project too many, with numbers; another one has its own", async () => {
    await newProject("acme", "web");
    await newProject("acme", "shop");
    expectRefused(await world.as("anna").create(projectsOf("acme"), project("third")), noMoreProjects);
    expectRefused(await world.admin.create(projects, project("third", "acme")), noMoreProjects);
    await newProject("beta", "other");
    await world.shows("acme", "", { [types.projects]: [2, 2, 0, 0] });
    await world.shows("beta", "", { [types.projects]: [2, 1, 0, 1] });
  });

  it("lets what was freed be used, and no more than that", async () => {
    await made(world.as("anna").remove(`${projectsOf("acme")}/shop`));
    await world.admin.gone(`${projects}/shop`);
    await world.shows("acme", "", { [types.projects]: [2, 1, 0, 1] });
    await newProject("acme", "blog");
    expectRefused(await world.as("anna").create(projectsOf("acme"), project("shop")), noMoreProjects);
  });

  it("counts secrets in the control plane of their project, and those of another apart", async () => {
    const anna = world.as("anna");
    for (const name of ["one", "two"]) await made(anna.create(secretsOf("web"), secret(name)));
    expectRefused(await anna.create(secretsOf("web"), secret("three")), noMoreSecrets);
    await made(anna.create(secretsOf("web"), secret("of-another-type", "example.com/other")));
    await made(anna.create(secretsOf("blog"), secret("one")));
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 0, 0, 3] });
    await expectOwned("web", ["one", "two"]);
    await made(anna.remove(`${secretsOf("web")}/two`));
    await eventually(() => expectOwned("web", ["one"]));
    await world.shows("web", "web", { [types.secrets]: [2, 1, 0, 1], [types.configMaps]: [3, 0, 0, 3] });
    await made(anna.create(secretsOf("web"), secret("three")));
    expectRefused(await anna.create(secretsOf("web"), secret("two")), noMoreSecrets);
    await made(anna.remove(`${secretsOf("blog")}/one`));
  });

  it("adopts what is older than a policy, if that says so", async () => {
    const anna = world.as("anna");
    for (const name of ["early-1", "early-2"]) await made(anna.create(mapsOf("web"), configMap(name)));
    await made(anna.create(mapsOf("web"), configMap("uncounted", "no")));
    await apply(`${claimPolicies}/config-maps`, configMapsPolicy, isTrue("Ready"));
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 2, 0, 1] });
    await made(anna.create(mapsOf("web"), configMap("late")));
    expectRefused(await anna.create(mapsOf("web"), configMap("later")), noMoreMaps);
  });

  it("is not fooled by a label that comes later", async () => {
    const path = `${mapsOf("web")}/uncounted`;
    expectRefused(await world.as("anna").merge(path, { metadata: { labels: { counted: "yes" } } }), noMoreMaps);
    await made(world.as("anna").remove(`${mapsOf("web")}/early-1`));
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 2, 0, 1] });
    await made(world.as("anna").merge(path, { metadata: { labels: { counted: "yes" } } }));
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 3, 0, 0] });
  });

  it("asks no policy that is switched off, and asks it again when it is on", async () => {
    await apply(`${claimPolicies}/secrets`, secretsPolicy({ enabled: false }), hasReason("PolicyDisabled"));
    const { body } = await made(world.as("anna").create(secretsOf("web"), secret("while-off")));
    await nextSecondAfter(body.metadata.creationTimestamp);
    await apply(`${claimPolicies}/secrets`, secretsPolicy({ disabled: false }), isTrue("Ready"));
    expectRefused(await world.as("anna").create(secretsOf("web"), secret("while-on")), noMoreSecrets);
    await made(world.as("anna").remove(`${secretsOf("web")}/while-off`));
  });

  it("does not take a policy for a refusal that does not work, and names it until it is mended", async () => {
    const unreadable = secretsPolicy({}, { amountExpression: "size(" });
    expect((await world.admin.apply(`${claimPolicies}/secrets`, unreadable)).code).toBe(422);
    const broken = secretsPolicy({}, { amountExpression: 'int(object.metadata.annotations["size"])' });
    await apply(`${claimPolicies}/secrets`, broken, isTrue("Ready"));
    const answer = await world.as("anna").create(secretsOf("web"), secret("unlucky"));
    expect(answer.code, answer.text).toBe(500);
    expect(answer.body.details.causes.map(({ reason }: Body) => reason)).toEqual(["QuotaMisconfigured"]);
    expect(answer.body.message).toContain("secrets");
    await apply(`${claimPolicies}/secrets`, secretsPolicy(), isTrue("Ready"));
    expectRefused(await world.as("anna").create(secretsOf("web"), secret("unlucky")), noMoreSecrets);
  });

  it("only warns for a policy in the shadow", async () => {
    await apply(`${claimPolicies}/secrets`, secretsPolicy({ mode: "Shadow" }), isTrue("Ready"));
    const answer = await made(world.as("anna").create(secretsOf("web"), secret("in-the-shadow")));
    expect(answer.warning).toContain("is in Shadow mode; Enforce would reject this: ");
    await made(world.as("anna").remove(`${secretsOf("web")}/in-the-shadow`));
    await apply(`${claimPolicies}/secrets`, secretsPolicy(), isTrue("Ready"));
    expectRefused(await world.as("anna").create(secretsOf("web"), secret("in-the-light")), noMoreSecrets);
  });

  it("denies by default, where a policy holds: in the control plane that it is in", async () => {
    const [anna, policy] = [world.as("anna"), inProject("web", `${claimPolicies}/services`)];
    const servicesOf = (name: string): string => inProject(name, "/api/v1/namespaces/default/services");
    const registration = `${quota}/resourceregistrations/services`;
    await apply(policy, servicesPolicy, hasReason("ValidationFailed"));
    await apply(registration, servicesRegistration, isTrue("Active"));
    await world.admin.until(policy, isTrue("Ready"));
    const answer = await anna.create(servicesOf("web"), service("first"));
    expectRefused(answer, nothingOfServices);
    expect(answer.body.message).toContain('Nothing of it is granted to Project "web" yet.');
    await made(anna.create(servicesOf("blog"), service("first")));
    await made(world.admin.remove(policy));
    await world.admin.gone(policy);
    await made(anna.create(servicesOf("web"), service("first")));
    await made(world.admin.remove(registration));
    await world.admin.gone(registration);
  });

  it("admits one of many who make the same object at once, and counts it once", async () => {
    const anna = world.as("anna");
    await made(anna.remove(`${secretsOf("web")}/three`));
    await world.shows("web", "web", { [types.secrets]: [2, 1, 0, 1], [types.configMaps]: [3, 3, 0, 0] });
    const answers = await Promise.all(Array.from({ length: 6 }, () => anna.create(secretsOf("web"), secret("three"))));
    expect(answers.map(({ code }) => code).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    await world.shows("web", "web", { [types.secrets]: [2, 2, 0, 0], [types.configMaps]: [3, 3, 0, 0] });
  });

  it("leaves manifests as they were written, whichever way they are spelled", async () => {
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

  it("has every figure as it was after it was stopped and started", async () => {
    const before = [await world.figures("acme", ""), await world.figures("web", "web")];
    await world.stop();
    await world.start();
    expect([await world.figures("acme", ""), await world.figures("web", "web")]).toEqual(before);
    expectRefused(await world.as("anna").create(secretsOf("web"), secret("after")), noMoreSecrets);
    expectRefused(await world.as("anna").create(projectsOf("acme"), project("third")), noMoreProjects);
    await made(world.as("anna").remove(`${secretsOf("web")}/three`));
    await world.shows("web", "web", { [types.secrets]: [2, 1, 0, 1], [types.configMaps]: [3, 3, 0, 0] });
  });

  it("shows members their own, and nothing of others", async () => {
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

  it("begins at 0 with a project under the name of one that was deleted", async () => {
    await made(world.as("anna").remove(`${projectsOf("acme")}/web`));
    await world.admin.gone(`${projects}/web`);
    await world.shows("acme", "", { [types.projects]: [2, 1, 0, 1] });
    await newProject("acme", "web");
    expect((await world.as("anna").get(secretsOf("web"))).body.items).toEqual([]);
    expect((await world.as("anna").get(inProject("web", claims))).body.items).toEqual([]);
    await made(world.as("anna").create(secretsOf("web"), secret("one")));
  });

  it("begins at 0 with an organization under the name of one that was deleted, without its members", async () => {
    await removeOrganization("beta");
    expect((await world.admin.get(`${projects}/other`)).code).toBe(404);
    await newOrganization("beta");
    await world.shows("beta", "", { [types.projects]: [2, 0, 0, 2] });
    expect((await world.as("bob").get(projectsOf("beta"))).code).toBe(403);
  });

  it("has books that are right in the end", async () => {
    await expectTheEnd();
    const { code, stdout, stderr } = await world.command("recount");
    expect(code, stdout + stderr).toBe(0);
  });
});
