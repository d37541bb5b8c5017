import type {
  AdmissionPlugin,
  AdmissionRequest,
  AdmissionTransaction,
  Verdict,
} from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { Companion, Companions } from "@milo-quota/apiserver/registry/admission/companion.ts";
import type { ApiObject } from "@milo-quota/apiserver/registry/kinds/api-object.ts";
import type { ServedKind } from "@milo-quota/apiserver/registry/kinds/served-kind.ts";
import type { ObjectKey } from "@milo-quota/apiserver/storage/object-key.ts";
import type { StoredObject } from "@milo-quota/apiserver/storage/stored-object.ts";
import type { Excluded, RenderedBatch, Ticket } from "@milo-quota/apiserver/storage/transaction.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { widget, widgetDefinition, widgets } from "./custom-kinds.ts";
import { RecordingPlugin } from "./recording-plugin.ts";
import { SlowLog } from "./slow-log.ts";
import { TestServer, turnOfEvents } from "./test-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const rejected: Verdict = { allowed: false, status: failure("Forbidden", "no") };

type CompanionSpec = Pick<Companions, "objects"> & Partial<Companions>;

/** A plug-in that stores widgets in one transaction with ConfigMaps. */
class CompanionPlugin implements AdmissionPlugin {
  readonly name = "companions";
  /** Companions of a ConfigMap; undefined for none. */
  spec: (request: AdmissionRequest) => CompanionSpec | undefined = () => undefined;
  /** Verdict after a failed transaction. */
  orElse: (why: "declined" | "conflict", times: number) => Verdict | CompanionSpec = () => ({ allowed: true });
  /** Companions of a deleted ConfigMap. */
  release: (leaving: StoredObject) => CompanionSpec | undefined = () => undefined;
  /** Whether tickets are excluded from a batch. */
  leaveOut: () => Excluded | undefined = () => undefined;
  readonly whys: string[] = [];
  readonly seen: string[] = [];
  readonly outcomes: string[] = [];
  readonly ends: string[] = [];
  rendered = 0;

  readonly validate = async (request: AdmissionRequest): Promise<Verdict> => {
    this.seen.push(`${request.operation} ${request.kind.kind} ${request.name}`);
    if (request.kind.kind !== "ConfigMap" || request.operation === "DELETE") return { allowed: true };
    const spec = this.spec(request);
    return spec === undefined ? { allowed: true } : this.#verdict(spec);
  };

  readonly companionsOfRemoval = (leaving: StoredObject): Companions | undefined => {
    if (leaving.object.kind !== "ConfigMap") return undefined;
    const spec = this.release(leaving);
    return spec && { ...this.#companions(spec), isRelease: true };
  };

  #verdict(spec: CompanionSpec): Verdict {
    const orElse: AdmissionTransaction["orElse"] = async (why) => {
      this.whys.push(why);
      const next = this.orElse(why, this.whys.length);
      return "objects" in next ? this.#verdict(next) : next;
    };
    return {
      allowed: true,
      onSettled: ({ stored }) => this.outcomes.push(stored ? "stored" : "not stored"),
      transaction: { companions: this.#companions(spec), orElse },
    };
  }

  #companions({ objects, isRelease = false }: CompanionSpec): Companions {
    return { objects, isRelease, ticket: { renderer: { render: (tickets) => this.#render(tickets) } } };
  }

  #render(tickets: readonly Ticket[]): RenderedBatch {
    this.rendered += 1;
    const why = this.leaveOut();
    return {
      writes: [],
      excluded: new Map(why === undefined ? [] : tickets.map((ticket) => [ticket, why])),
      onEnded: ({ outcome }) => this.ends.push(outcome),
    };
  }
}

let server: TestServer;
let plugin: CompanionPlugin;
let after: RecordingPlugin;
let log: SlowLog;
/** All writes in order of revision. */
let stored: string[];

beforeEach(async () => {
  plugin = new CompanionPlugin();
  after = new RecordingPlugin("after");
  log = new SlowLog();
  server = await TestServer.start({ plugins: [plugin, after], log });
  await server.create(definitions, widgetDefinition);
  await server.until("widgets are served", async () => (await server.get(widgets("default"))).code === 200);
  await server.settled();
  stored = [];
  plugin.seen.length = 0;
  server.server.registry.store.watchAll(({ type, stored: { key } }) => stored.push(`${type} ${key.name}`));
});

afterEach(async () => {
  await server.stop();
  expect(server.faults).toEqual([]);
});

const kind = (): ServedKind => server.server.kinds.inPlane("root").stored("widgets.example.com") as ServedKind;
const keyOf = (name: string): ObjectKey => ({
  plane: "root",
  resource: "widgets.example.com",
  namespace: "default",
  name,
});
const storedWidget = (name: string): StoredObject => server.server.registry.store.get(keyOf(name)) as StoredObject;

function creation(name: string, more: object = {}, metadata: object = {}): Companion {
  const object = {
    ...widget(name, more),
    metadata: { name, namespace: "default", uid: `uid-of-${name}`, ...metadata },
  };
  return { change: "create", plane: "root", kind: kind(), object: object as unknown as ApiObject };
}

const status = (name: string, next: JsonObject): Companion => ({
  change: "status",
  kind: kind(),
  stored: storedWidget(name),
  status: next,
});

const deletion = (name: string): Companion => ({
  change: "delete",
  kind: kind(),
  stored: storedWidget(name),
  finalizer: "example.com/ours",
});

const post = (name: string, query = "") => server.create(`${configMaps}${query}`, { metadata: { name } });
const codeOf = async (path: string): Promise<number> => (await server.get(path)).code;

describe("a created companion", () => {
  it("is stored right before its object and equals a create followed by a status update", async () => {
    const spec = { parts: ["a"], size: 3 };
    const labels = { is: "new" };
    await server.create(
      `${widgets("default")}?fieldManager=milo-quota`,
      widget("plain", { spec, metadata: { name: "plain", labels } }),
    );
    const path = `${widgets("default")}/plain/status?fieldManager=milo-quota`;
    const plain = (await server.merge(path, { status: { phase: "Ready" } })).body;
    stored.length = 0;
    plugin.spec = () => ({ objects: [creation("w", { spec, status: { phase: "Ready" } }, { labels })] });
    expect((await post("a")).code).toBe(201);
    expect(stored).toEqual(["added w", "added a"]);
    const { body } = await server.get(`${widgets("default")}/w`);
    const withoutName = ({ metadata, ...rest }: typeof body) => {
      const { name, uid, resourceVersion, ...others } = metadata;
      return { ...rest, metadata: others };
    };
    expect(withoutName(body)).toEqual(withoutName(plain));
    expect(body.metadata.uid).toBe("uid-of-w");
    expect([plugin.outcomes, plugin.ends]).toEqual([["stored"], ["stored"]]);
  });

  it("is defaulted and pruned by the schema of its kind", async () => {
    plugin.spec = () => ({ objects: [creation("w", { spec: { parts: ["a"], unknown: true } })] });
    expect((await post("a")).code).toBe(201);
    expect((await server.get(`${widgets("default")}/w`)).body.spec).toEqual({ parts: ["a"], size: 1 });
  });

  it("is not passed to plug-ins", async () => {
    plugin.spec = () => ({ objects: [creation("w")] });
    await post("a");
    expect(plugin.seen).toEqual(["CREATE ConfigMap a"]);
  });

  it("is not stored in a dry run", async () => {
    plugin.spec = () => ({ objects: [creation("w")] });
    expect((await post("a", "?dryRun=All")).code).toBe(201);
    expect([stored, plugin.rendered, plugin.outcomes]).toEqual([[], 0, ["not stored"]]);
  });

  it("is not stored if a later plug-in rejects the object", async () => {
    plugin.spec = () => ({ objects: [creation("w")] });
    after.answer = () => rejected;
    expect((await post("a")).code).toBe(403);
    expect([stored, plugin.rendered, plugin.outcomes]).toEqual([[], 0, ["not stored"]]);
  });

  it("can be stored with an updated object", async () => {
    await post("a");
    stored.length = 0;
    plugin.spec = () => ({ objects: [creation("w")] });
    expect((await server.merge(`${configMaps}/a`, { data: { a: "1" } })).code).toBe(200);
    expect(stored).toEqual(["added w", "modified a"]);
  });

  it("is not stored with an update without changes", async () => {
    await post("a");
    stored.length = 0;
    plugin.spec = () => ({ objects: [creation("w")] });
    expect((await server.merge(`${configMaps}/a`, {})).code).toBe(200);
    expect([stored, plugin.outcomes]).toEqual([[], ["not stored"]]);
  });
});

describe("a companion that updates another object", () => {
  beforeEach(async () => {
    for (const name of ["w", "kept"]) {
      const finalizers = name === "w" ? ["example.com/ours"] : ["example.com/theirs", "example.com/ours"];
      await server.create(widgets("default"), widget(name, { metadata: { name, finalizers } }));
    }
    stored.length = 0;
  });

  it("writes only its status", async () => {
    const before = (await server.get(`${widgets("default")}/w`)).body;
    plugin.spec = () => ({ objects: [status("w", { phase: "Used" })] });
    expect((await post("a")).code).toBe(201);
    const { body } = await server.get(`${widgets("default")}/w`);
    expect(stored).toEqual(["modified w", "added a"]);
    expect([body.status, body.spec, body.metadata.generation]).toEqual([
      { phase: "Used" },
      before.spec,
      before.metadata.generation,
    ]);
  });

  it("is deleted after its object if its finalizer was the only one", async () => {
    await post("a");
    stored.length = 0;
    plugin.release = () => ({ objects: [deletion("w")] });
    expect((await server.remove(`${configMaps}/a`)).code).toBe(200);
    expect(stored).toEqual(["deleted a", "deleted w"]);
  });

  it("is marked for deletion if another finalizer keeps it", async () => {
    await post("a");
    plugin.release = () => ({ objects: [deletion("kept")] });
    stored.length = 0;
    expect((await server.remove(`${configMaps}/a`)).code).toBe(200);
    expect(stored).toEqual(["deleted a", "modified kept"]);
    const { metadata } = (await server.get(`${widgets("default")}/kept`)).body;
    expect([metadata.finalizers, typeof metadata.deletionTimestamp]).toEqual([["example.com/theirs"], "string"]);
  });
});

describe("if a companion cannot be stored", () => {
  const invalid = () => ({ objects: [creation("w", { spec: { size: -1 } })] });

  const cases: Readonly<Record<string, readonly [prepare: () => Promise<unknown>, why: string]>> = {
    "because its name exists": [() => server.create(widgets("default"), widget("w")), "conflict"],
    "because it is invalid": [
      async () => {
        plugin.spec = invalid;
      },
      "declined",
    ],
    "because its ticket is declined": [
      async () => {
        plugin.leaveOut = () => ({ outcome: "declined" });
      },
      "declined",
    ],
    "because its kind is being deleted": [
      async () => {
        const path = `${definitions}/widgets.example.com`;
        await server.merge(path, { metadata: { finalizers: ["example.com/keep"] } });
        await server.remove(path);
      },
      "declined",
    ],
  };

  describe.each(Object.entries(cases))("%s", (_, [prepare, why]) => {
    beforeEach(async () => {
      plugin.spec = () => ({ objects: [creation("w")] });
      await prepare();
      await server.settled();
      stored.length = 0;
    });

    it("the plug-in is called again and can store the object alone", async () => {
      expect((await post("a")).code).toBe(201);
      expect([plugin.whys, stored, after.outcomes]).toEqual([[why], ["added a"], ["stored"]]);
      expect(plugin.outcomes).toEqual([]);
    });

    it("the plug-in can reject the object, and other plug-ins get the outcome", async () => {
      plugin.orElse = () => rejected;
      expect((await post("a")).code).toBe(403);
      expect([plugin.whys, stored, after.outcomes]).toEqual([[why], [], ["not stored"]]);
    });
  });

  it("the plug-in can retry with other companions", async () => {
    for (const name of ["w", "w-1", "w-2"]) await server.create(widgets("default"), widget(name));
    stored.length = 0;
    plugin.spec = () => ({ objects: [creation("w")] });
    plugin.orElse = (_, times) => ({ objects: [creation(`w-${times}`)] });
    expect((await post("a")).code).toBe(201);
    expect([plugin.whys, stored]).toEqual([
      ["conflict", "conflict", "conflict"],
      ["added w-3", "added a"],
    ]);
    expect(plugin.outcomes).toEqual(["stored"]);
  });

  it("none of several companions is stored", async () => {
    await server.create(widgets("default"), widget("two"));
    stored.length = 0;
    plugin.spec = () => ({ objects: [creation("one"), creation("two")] });
    plugin.orElse = () => rejected;
    expect((await post("a")).code).toBe(403);
    expect([stored, await codeOf(`${widgets("default")}/one`)]).toEqual([[], 404]);
  });
});

describe("if the object itself cannot be stored", () => {
  it("because its name exists, the client gets AlreadyExists without another call of the plug-in", async () => {
    log.turns = () => 3;
    plugin.spec = ({ object }) => ({ objects: [creation(`w-${object?.metadata.uid}`)] });
    const codes = (await Promise.all([post("a"), post("a"), post("a")])).map(({ code }) => code);
    expect([codes.sort(), plugin.whys]).toEqual([[201, 409, 409], []]);
    expect(plugin.outcomes.sort()).toEqual(["not stored", "not stored", "stored"]);
    expect(stored).toHaveLength(2);
  });

  it("because of a conflict, a client with a resource version gets Conflict", async () => {
    const { body } = await post("a");
    after.answer = async ({ operation }) => {
      after.answer = () => undefined;
      if (operation === "UPDATE") await server.merge(`${configMaps}/a`, { data: { by: "another" } });
      return undefined;
    };
    stored.length = 0;
    plugin.spec = ({ object }) =>
      object?.["data"] !== undefined && "mine" in (object["data"] as object) ? { objects: [creation("w")] } : undefined;
    expect((await server.replace(`${configMaps}/a`, { ...body, data: { mine: "yes" } })).code).toBe(409);
    expect([stored, plugin.whys, plugin.outcomes]).toEqual([["modified a"], [], ["not stored"]]);
  });

  it("because of a conflict, a request without a resource version is retried through the plug-ins", async () => {
    await post("a");
    let tries = 0;
    plugin.spec = ({ operation }) => {
      tries += operation === "UPDATE" ? 1 : 0;
      return operation === "UPDATE" && tries !== 2 ? { objects: [creation(`w-${tries}`)] } : undefined;
    };
    after.answer = async ({ operation }) => {
      after.answer = () => undefined;
      if (operation === "UPDATE") await server.merge(`${configMaps}/a`, { metadata: { labels: { by: "another" } } });
      return undefined;
    };
    stored.length = 0;
    expect((await server.merge(`${configMaps}/a`, { data: { mine: "yes" } })).code).toBe(200);
    expect([stored, plugin.whys]).toEqual([["modified a", "added w-3", "modified a"], []]);
    expect(plugin.outcomes).toEqual(["not stored", "stored"]);
  });
});

describe("while the renderer is busy", () => {
  let release: () => void;

  beforeEach(() => {
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    plugin.spec = () => ({ objects: [creation("w")] });
    plugin.leaveOut = () => ({ outcome: "busy", until });
  });

  /** Queues the object, which the batch excludes. */
  const isLeftOut = () => server.until("it is left out", () => plugin.rendered === 1);

  it("an object waits and is queued again without another call of the plug-in", async () => {
    const created = post("a");
    await isLeftOut();
    for (let turns = 0; turns < 20; turns += 1) await turnOfEvents();
    expect([stored, plugin.rendered]).toEqual([[], 1]);
    plugin.leaveOut = () => undefined;
    release();
    expect((await created).code).toBe(201);
    expect([stored, plugin.whys, plugin.rendered]).toEqual([["added w", "added a"], [], 2]);
  });

  it("forever, an object is decided without a transaction", async () => {
    release();
    expect([(await post("a")).code, plugin.whys]).toEqual([201, ["declined"]]);
  });

  it("its namespace may be deleted: then it is rejected and nothing is stored", async () => {
    await server.create("/api/v1/namespaces", { metadata: { name: "brief" } });
    stored.length = 0;
    const created = server.create("/api/v1/namespaces/brief/configmaps", { metadata: { name: "a" } });
    await isLeftOut();
    await server.remove("/api/v1/namespaces/brief");
    plugin.leaveOut = () => undefined;
    release();
    expect((await created).code).toBe(403);
    expect([stored.includes("added a"), plugin.outcomes]).toEqual([false, ["not stored"]]);
  });

  it("the kind of the companion may be deleted: then the plug-in is called again", async () => {
    const created = post("a");
    await isLeftOut();
    await server.merge(`${definitions}/widgets.example.com`, { metadata: { finalizers: ["example.com/keep"] } });
    await server.remove(`${definitions}/widgets.example.com`);
    plugin.leaveOut = () => undefined;
    release();
    expect((await created).code).toBe(201);
    expect(plugin.whys).toEqual(["declined"]);
  });
});

describe("a deleted object", () => {
  const remove = async () => (await server.remove(`${configMaps}/a`)).code;

  beforeEach(async () => {
    await post("a");
    await server.create(widgets("default"), widget("w", { metadata: { name: "w", finalizers: ["example.com/ours"] } }));
    stored.length = 0;
  });

  it("causes another call of the plug-in if a companion was changed meanwhile", async () => {
    let stale: Companion | undefined = deletion("w");
    await server.merge(`${widgets("default")}/w`, { spec: { size: 2 } });
    stored.length = 0;
    let times = 0;
    plugin.release = () => {
      times += 1;
      const first = stale;
      stale = undefined;
      return { objects: [first ?? deletion("w")] };
    };
    expect([await remove(), stored, times]).toEqual([200, ["deleted a", "deleted w"], 2]);
  });

  it("is deleted alone if retries do not help or there are no companions", async () => {
    let times = 0;
    plugin.leaveOut = () => ({ outcome: "declined" });
    plugin.release = () => {
      times += 1;
      return { objects: [deletion("w")] };
    };
    expect([await remove(), stored, times]).toEqual([200, ["deleted a"], 3]);
  });

  it("waits while the renderer is busy", async () => {
    let release = (): void => undefined;
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    plugin.leaveOut = () => ({ outcome: "busy", until });
    plugin.release = () => ({ objects: [deletion("w")] });
    const removed = remove();
    await server.until("it is left out", () => plugin.rendered === 1);
    plugin.leaveOut = () => undefined;
    release();
    expect([await removed, stored]).toEqual([200, ["deleted a", "deleted w"]]);
  });

  it("is deleted alone after a while if the renderer is always busy", async () => {
    plugin.leaveOut = () => ({ outcome: "busy", until: Promise.resolve() });
    plugin.release = () => ({ objects: [deletion("w")] });
    expect([await remove(), stored]).toEqual([200, ["deleted a"]]);
  });

  it("deletes no companions in a dry run", async () => {
    plugin.release = () => ({ objects: [deletion("w")] });
    expect((await server.remove(`${configMaps}/a?dryRun=All`)).code).toBe(200);
    expect([stored, plugin.rendered]).toEqual([[], 0]);
  });

  it("deletes its companions when its last finalizer is removed, not before", async () => {
    plugin.release = () => ({ objects: [deletion("w")] });
    await server.merge(`${configMaps}/a`, { metadata: { finalizers: ["example.com/mine"] } });
    stored.length = 0;
    await remove();
    expect(stored).toEqual(["modified a"]);
    await server.merge(`${configMaps}/a`, { metadata: { finalizers: null } });
    expect(stored).toEqual(["modified a", "deleted a", "deleted w"]);
  });
});
