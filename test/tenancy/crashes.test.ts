import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { afterEach, describe, expect, it } from "vitest";
import {
  inOrganization,
  inProject,
  organization,
  organizations,
  project,
  projects,
  readyOf,
  TenantWorld,
} from "./tenant-world.ts";

const maps = "/api/v1/namespaces/default/configmaps";

/** More calls than the whole sequence takes. */
const callsMax = 150;

let world: TenantWorld;

afterEach(() => world.stop());

/** Waits for a condition and restarts tenancy after a crash. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  await world.server.until(what, async () => {
    if (world.isCrashed) await world.startTenancy();
    return holds();
  });
}

async function isReady(path: string): Promise<boolean> {
  const { code, body } = await world.server.get(path);
  return code === 200 && readyOf(body)?.status === "True";
}

async function isGone(path: string): Promise<boolean> {
  return (await world.server.get(path)).code === 404;
}

function isEmpty(plane: string): boolean {
  const { store } = world.server.server.registry;
  return store.resources().every((resource) => store.count({ plane, resource }) === 0);
}

/** Creates, deletes and recreates a project, then deletes its organization. Tenancy crashes at the given call. */
async function runWithCrash(crashAt: number): Promise<void> {
  const [owner, name] = [`o-${crashAt}`, `p-${crashAt}`];
  const at = `${projects}/${name}`;
  world.crashAfter(crashAt);
  await world.server.create(organizations, organization(owner));
  await world.server.create(projects, project(name, owner));
  await until(`${name} is ready`, () => isReady(at));
  const use = () => world.server.create(inProject(name, maps), { metadata: { name: "old" } });
  await until("it can be used", async () => (await use()).code === 201);
  await world.server.remove(at);
  await until("it is made again", async () => (await world.server.create(projects, project(name, owner))).code === 201);
  await until("it is ready again", () => isReady(at));
  await until("it can be used again", async () => (await world.server.get(inProject(name, maps))).code === 200);
  expect((await world.server.get(inProject(name, `${maps}/old`))).code).toBe(404);
  await world.server.remove(`${organizations}/${owner}`);
  for (const path of [`${organizations}/${owner}`, at, `/api/v1/namespaces/organization-${owner}`]) {
    await until(`${path} is gone`, () => isGone(path));
  }
  await until("nothing is left of its plane", async () => isEmpty(`project-${name}`));
}

describe("tenancy that crashes", () => {
  it("recovers at the next start, for a crash at any call", async () => {
    world = await TenantWorld.start();
    let crashes = 0;
    for (let crashAt = 0; crashAt < callsMax && crashes === crashAt; crashAt += 1) {
      await runWithCrash(crashAt);
      crashes = world.crashes;
    }
    expect(crashes).toBeGreaterThan(15);
    expect(crashes).toBeLessThan(callsMax);
  }, 60_000);

  it("gives members no access to a project that is not ready", async () => {
    world = await TenantWorld.start();
    await world.organization("acme");
    await world.member("acme", "alice", ["admin"]);
    const alice = world.as(await world.token({ user: "alice" }));
    world.crashAfter(4); // right before it creates the plane
    await world.server.create(projects, project("web", "acme"));
    await world.server.until("it has crashed", () => world.isCrashed);
    expect((await world.server.get(inProject("web", maps))).code).toBe(200);
    expect((await alice.get(inProject("web", maps))).code).toBe(403);
    await until("it is ready", () => isReady(`${projects}/web`));
    await until("she may", async () => (await alice.get(inProject("web", maps))).code === 200);
  });

  it("asks members to retry during its start instead of rejecting them", async () => {
    world = await TenantWorld.start();
    await world.organization("acme");
    await world.project("web", "acme");
    await world.member("acme", "alice", ["view"]);
    const token = await world.token({ user: "alice" });
    await world.tenancy.stop();
    const started = world.startTenancy();
    const paths = [inProject("web", maps), inOrganization("acme", projects)];
    const early = paths.flatMap((path) => [world.as(token).get(path), world.server.get(path)]);
    await started;
    const answers = (await Promise.all(early)).map(({ code, body }) => [code, body.details?.retryAfterSeconds]);
    expect(answers).toEqual([
      [503, 1],
      [503, 1],
      [503, 1],
      [503, 1],
    ]);
    for (const path of paths) expect((await world.as(token).get(path)).code).toBe(200);
  });

  it("continues after a restart of the whole server", async () => {
    const log = new MemoryLog();
    world = await TenantWorld.start({ log });
    await world.organization("acme");
    for (const name of ["kept", "going"]) {
      await world.project(name, "acme");
      await world.server.create(inProject(name, maps), { metadata: { name: "mine" } });
    }
    await world.member("acme", "alice", ["view"]);
    const token = await world.token({ user: "alice" });
    world.crashAfter(0);
    await world.server.remove(`${projects}/going`);
    await world.server.create(projects, project("new", "acme"));
    await world.stop();

    world = await TenantWorld.start({ log });
    expect((await world.as(token).get(inProject("kept", `${maps}/mine`))).code).toBe(200);
    await until("what was to go is gone", () => isGone(`${projects}/going`));
    await until("what was to come is there", () => isReady(`${projects}/new`));
    expect(isEmpty("project-going")).toBe(true);
    expect((await world.server.get(inProject("going", maps))).code).toBe(404);
  });
});
