import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { widget, widgetDefinition, widgets } from "./custom-kinds.ts";
import { seeded } from "./random-writes.ts";
import { RecordingPlugin } from "./recording-plugin.ts";
import { bind } from "./role-bindings.ts";
import { SlowLog } from "./slow-log.ts";
import { type Body, TestServer, turnOfEvents } from "./test-server.ts";
import { users } from "./test-users.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const clusterRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

let server: TestServer;
let slow: RecordingPlugin;
let log: SlowLog;

beforeEach(async () => {
  slow = new RecordingPlugin("slow");
  log = new SlowLog();
  server = await TestServer.start({ plugins: [slow], log });
});

afterEach(async () => {
  await server.stop();
  expect(server.faults).toEqual([]);
  expect(server.clock.waiting).toBe(0);
});

type Reference = { readonly blockOwnerDeletion?: boolean; readonly controller?: boolean };

function ownedBy({ apiVersion = "v1", kind = "ConfigMap", metadata }: Body, more: Reference = {}): object {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more };
}

async function make(name: string, owners: readonly object[] = [], more: object = {}): Promise<Body> {
  const metadata = { name, ...(owners.length === 0 ? {} : { ownerReferences: owners }), ...more };
  return (await server.create(configMaps, { metadata })).body;
}

const exists = async (path: string): Promise<boolean> => (await server.get(path)).code === 200;
const isThere = (name: string): Promise<boolean> => exists(`${configMaps}/${name}`);
const namesLeft = async (): Promise<string[]> =>
  (await server.get(configMaps)).body.items.map(({ metadata }: Body) => metadata.name);

/** Long enough for all controllers. */
async function aWhile(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) {
    await turnOfEvents();
    server.clock.advance(20);
  }
}

describe("garbage collection", () => {
  it("follows a chain of owners", async () => {
    let owner = await make("link-0");
    for (let depth = 1; depth <= 5; depth += 1) owner = await make(`link-${depth}`, [ownedBy(owner)]);
    await server.remove(`${configMaps}/link-0`);
    await server.until("all links are gone", async () => (await namesLeft()).length === 0);
  });

  it("deletes 500 dependents of one owner", async () => {
    const owner = await make("owner");
    await Promise.all(Array.from({ length: 500 }, (_, at) => make(`dependent-${at}`, [ownedBy(owner)])));
    expect(await namesLeft()).toHaveLength(501);
    await server.remove(`${configMaps}/owner`);
    await server.until("all are gone", async () => (await namesLeft()).length === 0);
  });

  it("keeps an owner until its blocking dependents are gone, in the foreground", async () => {
    const owner = await make("owner");
    await make("blocks", [ownedBy(owner, { blockOwnerDeletion: true })], { finalizers: ["example.com/hold"] });
    await make("does-not", [ownedBy(owner)], { finalizers: ["example.com/hold"] });
    const reply = await server.remove(`${configMaps}/owner`, { propagationPolicy: "Foreground" });
    expect(reply.body.metadata.finalizers).toEqual(["foregroundDeletion"]);
    await server.until("the dependent is marked for deletion", async () => {
      const { body } = await server.get(`${configMaps}/blocks`);
      return body.metadata.deletionTimestamp !== undefined;
    });
    await aWhile();
    expect(await namesLeft()).toEqual(["blocks", "does-not", "owner"]);
    await server.merge(`${configMaps}/blocks`, { metadata: { finalizers: null } });
    await server.until("the owner is gone", async () => !(await isThere("owner")));
    expect(await namesLeft()).toEqual(["does-not"]);
    await server.merge(`${configMaps}/does-not`, { metadata: { finalizers: null } });
    expect(await namesLeft()).toEqual([]);
  });

  it("deletes chains from the end in the foreground", async () => {
    const gone: string[] = [];
    let owner = await make("link-0");
    for (let depth = 1; depth <= 5; depth += 1) {
      owner = await make(`link-${depth}`, [ownedBy(owner, { blockOwnerDeletion: true })]);
    }
    const reader = await server.watch(`${configMaps}?watch=true`);
    await server.remove(`${configMaps}/link-0`, { propagationPolicy: "Foreground" });
    await server.until("all links are gone", async () => (await namesLeft()).length === 0);
    for (const { type, object } of reader.events) if (type === "DELETED") gone.push(object.metadata.name);
    expect(gone).toEqual(["link-5", "link-4", "link-3", "link-2", "link-1", "link-0"]);
  });

  it("leaves no dependent that is created while its owner is deleted", async () => {
    for (let round = 1; round <= 20; round += 1) {
      const random = seeded(round * 17);
      log.turns = () => Math.floor(random() * 4);
      const owner = await make("owner");
      const orphans = await Promise.all(Array.from({ length: 10 }, (_, at) => make(`adopted-${at}`)));
      const propagationPolicy = random() < 0.5 ? "Foreground" : "Background";
      const at = Math.floor(random() * 10);
      const replies = [];
      for (const [count, { metadata }] of orphans.entries()) {
        if (count === at) replies.push(server.remove(`${configMaps}/owner`, { propagationPolicy }));
        const ownerReferences = [ownedBy(owner, { blockOwnerDeletion: random() < 0.5 })];
        replies.push(make(`made-${count}`, ownerReferences));
        replies.push(server.merge(`${configMaps}/${metadata.name}`, { metadata: { ownerReferences } }));
        if (random() < 0.3) await turnOfEvents();
        replies.push(server.merge(`${configMaps}/${metadata.name}`, { data: { round: `${round}` } }));
      }
      await Promise.all(replies);
      await server.until("all are gone", async () => (await namesLeft()).length === 0);
    }
  });

  it("orphans dependents", async () => {
    const owner = await make("owner");
    const other = await make("other");
    await make("alone", [ownedBy(owner)]);
    await make("shared", [ownedBy(owner), ownedBy(other)]);
    await server.remove(`${configMaps}/owner`, { propagationPolicy: "Orphan" });
    await server.until("the owner is gone", async () => !(await isThere("owner")));
    await aWhile();
    expect(await namesLeft()).toEqual(["alone", "other", "shared"]);
    expect((await server.get(`${configMaps}/alone`)).body.metadata).not.toHaveProperty("ownerReferences");
    const { body } = await server.get(`${configMaps}/shared`);
    expect(body.metadata.ownerReferences.map(({ name }: Body) => name)).toEqual(["other"]);
  });

  it("keeps a dependent with another owner and removes the deleted one", async () => {
    const [one, two] = [await make("one"), await make("two")];
    await make("shared", [ownedBy(one), ownedBy(two)]);
    await server.remove(`${configMaps}/one`);
    await server.until("it is cut off", async () => {
      const { body } = await server.get(`${configMaps}/shared`);
      return body.metadata.ownerReferences.length === 1;
    });
    await server.remove(`${configMaps}/two`);
    await server.until("it is gone", async () => !(await isThere("shared")));
  });

  it("treats an owner in another namespace as missing", async () => {
    await server.create("/api/v1/namespaces", { metadata: { name: "elsewhere" } });
    const { body: owner } = await server.create("/api/v1/namespaces/elsewhere/configmaps", {
      metadata: { name: "owner" },
    });
    await make("stray", [ownedBy(owner)]);
    await server.until("it is gone", async () => !(await isThere("stray")));
    expect(await exists("/api/v1/namespaces/elsewhere/configmaps/owner")).toBe(true);
  });

  it("treats an owner with another UID as missing", async () => {
    const owner = await make("owner");
    await make("stray", [{ ...(ownedBy(owner) as object), uid: "b9a5c7b0-0000-4000-8000-000000000000" }]);
    await server.until("it is gone", async () => !(await isThere("stray")));
    expect(await isThere("owner")).toBe(true);
  });

  it("ignores dependents of an unknown kind until it is served", async () => {
    const reference = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      name: "w",
      uid: "b9a5c7b0-0000-4000-8000-000000000000",
    };
    await make("kept", [reference]);
    await aWhile();
    server.clock.advance(60_000);
    await aWhile();
    expect(await isThere("kept")).toBe(true);
    await server.create(definitions, widgetDefinition);
    server.clock.advance(30_000);
    await server.until("it is gone", async () => !(await isThere("kept")));
  });

  it("collects dependents of custom objects that were deleted with their CRD", async () => {
    await server.create(definitions, widgetDefinition);
    await server.until("it is served", () => exists(widgets("default")));
    const { body: owner } = await server.create(widgets("default"), widget("owner"));
    await make("owned", [ownedBy(owner)]);
    await server.remove(`${definitions}/widgets.example.com`);
    await server.until("the definition is gone", async () => !(await exists(`${definitions}/widgets.example.com`)));
    await server.until("what it owned is gone", async () => !(await isThere("owned")));
  });
});

describe("a deleted namespace", () => {
  const team = "/api/v1/namespaces/team";

  beforeEach(async () => {
    await server.create("/api/v1/namespaces", { metadata: { name: "team" } });
  });

  it("reports remaining content in its conditions until it is empty", async () => {
    await server.create(`${team}/configmaps`, { metadata: { name: "held", finalizers: ["example.com/hold"] } });
    await server.create(`${team}/secrets`, { metadata: { name: "free" } });
    await server.remove(team);
    await server.until("it says so", async () => (await server.get(team)).body.status.conditions !== undefined);
    const { phase, conditions } = (await server.get(team)).body.status;
    expect(phase).toBe("Terminating");
    const shown = conditions.map(({ type, status, message }: Body) => [type, status, message]);
    expect(shown).toContainEqual([
      "NamespaceContentRemaining",
      "True",
      "Some resources are remaining: configmaps has 1 resource instances",
    ]);
    expect(shown).toContainEqual([
      "NamespaceFinalizersRemaining",
      "True",
      "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
    ]);
    expect(await exists(`${team}/secrets/free`)).toBe(false);
    await server.merge(`${team}/configmaps/held`, { metadata: { finalizers: null } });
    await server.until("it is gone", async () => !(await exists(team)));
  });

  it("leaves no object that is created while it is deleted", async () => {
    for (let round = 1; round <= 30; round += 1) {
      const random = seeded(round);
      log.turns = () => Math.floor(random() * 4);
      const name = `racy-${round}`;
      await server.create("/api/v1/namespaces", { metadata: { name } });
      slow.answer = async () => {
        for (let turn = Math.floor(random() * 5); turn > 0; turn -= 1) await turnOfEvents();
        return undefined;
      };
      const path = `/api/v1/namespaces/${name}`;
      const at = Math.floor(random() * 40);
      const replies = [];
      for (let count = 0; count < 40; count += 1) {
        if (count === at) replies.push(server.remove(path));
        replies.push(server.create(`${path}/configmaps`, { metadata: { name: `object-${count}` } }));
        if (random() < 0.2) await turnOfEvents();
      }
      for (const { code } of await Promise.all(replies)) expect([200, 201, 403, 404]).toContain(code);
      await server.until("it is gone", async () => !(await exists(path)));
      await server.settled();
      const { store } = server.server.registry;
      const left = store.resources().flatMap((resource) => [...store.list({ resource, namespace: name })]);
      expect(left, `round ${round}`).toEqual([]);
    }
  });

  it("can be created again and is empty", async () => {
    await server.create(`${team}/configmaps`, { metadata: { name: "old" } });
    await server.remove(team);
    await server.until("it is gone", async () => !(await exists(team)));
    expect((await server.create("/api/v1/namespaces", { metadata: { name: "team" } })).code).toBe(201);
    expect((await server.get(`${team}/configmaps`)).body.items).toEqual([]);
    expect((await server.create(`${team}/configmaps`, { metadata: { name: "new" } })).code).toBe(201);
  });

  it("is not confused with a new one of its name by a queued retry", async () => {
    await server.create(`${team}/configmaps`, { metadata: { name: "held", finalizers: ["example.com/hold"] } });
    await server.remove(team);
    await server.until("it says so", async () => (await server.get(team)).body.status.conditions !== undefined);
    await server.merge(`${team}/configmaps/held`, { metadata: { finalizers: null } });
    await server.merge(team, { metadata: { labels: { look: "now" } } });
    await server.settled();
    expect(await exists(team)).toBe(false);
    await server.create("/api/v1/namespaces", { metadata: { name: "team" } });
    await server.create(`${team}/configmaps`, { metadata: { name: "new" } });
    await aWhile();
    expect(await exists(`${team}/configmaps/new`)).toBe(true);
    expect((await server.get(team)).body.spec.finalizers).toEqual(["kubernetes"]);
  });

  it("is not confused with a new one of its name if a client finalizes it while it is emptied", async () => {
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await server.create(`${team}/configmaps`, { metadata: { name: "old" } });
    slow.answer = async ({ operation, name }) => {
      if (operation === "DELETE" && name === "old") await held;
      return undefined;
    };
    await server.remove(team);
    await server.settled();
    const { body } = await server.get(team);
    await server.replace(`${team}/finalize`, { ...body, spec: { finalizers: [] } });
    expect(await exists(team)).toBe(false);
    await server.create("/api/v1/namespaces", { metadata: { name: "team" } });
    await server.create(`${team}/secrets`, { metadata: { name: "new" } });
    goOn();
    await aWhile();
    expect(await exists(`${team}/secrets/new`)).toBe(true);
    expect((await server.get(team)).body.spec.finalizers).toEqual(["kubernetes"]);
  });

  it("deletes custom objects", async () => {
    await server.create(definitions, widgetDefinition);
    await server.until("it is served", () => exists(widgets("team")));
    expect((await server.create(widgets("team"), widget("w"))).code).toBe(201);
    await server.remove(team);
    await server.until("it is gone", async () => !(await exists(team)));
    expect((await server.get("/apis/example.com/v1/widgets")).body.items).toEqual([]);
  });
});

describe("a deleted CRD", () => {
  it("leaves no object that is created while it is deleted", async () => {
    for (let round = 1; round <= 15; round += 1) {
      const random = seeded(round * 31);
      log.turns = () => Math.floor(random() * 4);
      await server.create(definitions, widgetDefinition);
      await server.until("it is served", () => exists(widgets("default")));
      const at = Math.floor(random() * 30);
      const replies = [];
      for (let count = 0; count < 30; count += 1) {
        if (count === at) replies.push(server.remove(`${definitions}/widgets.example.com`));
        replies.push(server.create(widgets("default"), widget(`w-${count}`)));
        if (random() < 0.2) await turnOfEvents();
      }
      for (const { code } of await Promise.all(replies)) expect([200, 201, 403, 404]).toContain(code);
      await server.until("it is gone", async () => !(await exists(`${definitions}/widgets.example.com`)));
      await server.settled();
      expect([...server.server.registry.store.list({ resource: "widgets.example.com" })], `round ${round}`).toEqual([]);
    }
  });

  it("waits for objects with finalizers, which can still be updated", async () => {
    await server.create(definitions, widgetDefinition);
    await server.until("it is served", () => exists(widgets("default")));
    await server.create(
      widgets("default"),
      widget("held", { metadata: { name: "held", finalizers: ["example.com/hold"] } }),
    );
    await server.remove(`${definitions}/widgets.example.com`);
    await aWhile();
    expect(await exists(`${definitions}/widgets.example.com`)).toBe(true);
    expect((await server.merge(`${widgets("default")}/held`, { metadata: { finalizers: null } })).code).toBe(200);
    await server.until("it is gone", async () => !(await exists(`${definitions}/widgets.example.com`)));
    expect((await server.get(widgets("default"))).code).toBe(404);
  });
});

describe("aggregated ClusterRoles", () => {
  it("follow the roles that they select, and so do their subjects", async () => {
    await bind(server, "view", "alice");
    await server.create(definitions, widgetDefinition);
    await server.until("it is served", () => exists(widgets("default")));
    const code = async (): Promise<number> => (await server.get(widgets("default"), users.alice)).code;
    expect(await code()).toBe(403);
    const labels = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
    const rules = [{ apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get", "list"] }];
    await server.create(clusterRoles, { metadata: { name: "see-widgets", labels }, rules });
    await server.until("she may", async () => (await code()) === 200);
    await server.remove(`${clusterRoles}/see-widgets`);
    await server.until("she may not", async () => (await code()) === 403);
  });
});

describe("events", () => {
  const at = "/api/v1/namespaces/default/events";
  const event = { involvedObject: { kind: "Pod", name: "p", namespace: "default" }, reason: "Seen", type: "Normal" };

  it("are deleted an hour after their last occurrence", async () => {
    const happened = new Date(server.clock.now()).toISOString().replace(/\.\d+/, "");
    await server.create(at, { ...event, metadata: { name: "old" }, lastTimestamp: happened });
    server.clock.advance(45 * 60_000);
    await server.create(at, { ...event, metadata: { name: "new" } });
    server.clock.advance(14 * 60_000);
    await server.settled();
    expect([await exists(`${at}/old`), await exists(`${at}/new`)]).toEqual([true, true]);
    server.clock.advance(2 * 60_000);
    await server.until("the old one is gone", async () => !(await exists(`${at}/old`)));
    expect(await exists(`${at}/new`)).toBe(true);
  });
});
