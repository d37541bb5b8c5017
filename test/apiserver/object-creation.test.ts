import type { AdmissionPlugin } from "@milo-quota/apiserver/registry/admission/admission-plugin.ts";
import type { ApiObject } from "@milo-quota/apiserver/registry/kinds/api-object.ts";
import { withMetadata } from "@milo-quota/apiserver/registry/metadata/metadata.ts";
import { failure } from "@milo-quota/kubernetes/protocol/api-status.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { widgetDefinition } from "./custom-kinds.ts";
import { TestServer } from "./test-server.ts";
import type { TestUser } from "./test-users.ts";

const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const configMaps = "/api/v1/namespaces/default/configmaps";
const ann: TestUser = { username: "ann", uid: "", groups: ["system:authenticated"], extra: {} };

let server: TestServer;

/** Mutates the namespace of labelled objects. */
const mover: AdmissionPlugin = {
  name: "mover",
  mutate: async ({ object }) => {
    const moved = (object as ApiObject).metadata.labels?.["move"] === undefined ? {} : { namespace: "kube-system" };
    return withMetadata(object as ApiObject, moved);
  },
};

/** Holds the next create of a widget until it is released. */
class Gate implements AdmissionPlugin {
  readonly name = "gate";
  #held: { readonly reached: () => void; readonly released: Promise<void> } | undefined;

  hold(): { readonly reached: Promise<void>; release(): void } {
    let release: () => void = () => undefined;
    let reachedNow: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      reachedNow = resolve;
    });
    this.#held = { reached: reachedNow, released };
    return { reached, release: () => release() };
  }

  readonly validate: NonNullable<AdmissionPlugin["validate"]> = async ({ kind }) => {
    if (kind.kind === "Widget" && this.#held !== undefined) {
      this.#held.reached();
      await this.#held.released;
      this.#held = undefined;
    }
    return { allowed: true };
  };
}

const gate = new Gate();

/** Rejects deletes of some objects. */
const keeper: AdmissionPlugin = {
  name: "keeper",
  validate: async ({ operation, name }) =>
    operation === "DELETE" && name === "kept"
      ? { allowed: false, status: failure("Forbidden", "it has to stay") }
      : { allowed: true },
};

beforeEach(async () => {
  server = await TestServer.start({ plugins: [mover, keeper, gate] });
});

afterEach(() => server.stop());

async function allow(rule: Readonly<Record<string, readonly string[]>>): Promise<void> {
  await server.create(`${roles}/roles`, { metadata: { name: "r" }, rules: [rule] });
  await server.create(`${roles}/rolebindings`, {
    metadata: { name: "r" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }],
  });
  await server.settled();
}

function apply(path: string, body: unknown, user?: TestUser) {
  const type = "application/apply-patch+yaml";
  return server.send({ method: "PATCH", path: `${path}?fieldManager=ann`, body, type, user });
}

describe("creating an object with another verb than create", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } };

  it("requires the create permission for an apply", async () => {
    await allow({ apiGroups: [""], resources: ["configmaps"], verbs: ["patch", "get"] });
    const { code, body } = await apply(`${configMaps}/one`, object, ann);
    expect([code, body.message]).toEqual([403, expect.stringContaining('cannot create resource "configmaps"')]);
    expect((await server.get(`${configMaps}/one`)).code).toBe(404);
  });

  it("requires the create permission for an update", async () => {
    await allow({ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["update"] });
    expect((await server.replace(`${leases}/one`, { metadata: { name: "one" } }, ann)).code).toBe(403);
  });

  it("works with that permission", async () => {
    await allow({ apiGroups: [""], resources: ["configmaps"], verbs: ["patch", "create"] });
    expect((await apply(`${configMaps}/one`, object, ann)).code).toBe(201);
  });

  it("is not possible through a subresource", async () => {
    const path = "/api/v1/namespaces/default/services/one/status";
    expect((await server.replace(path, { metadata: { name: "one" } })).code).toBe(404);
  });
});

describe("a new object", () => {
  it("has no client values in fields that the server sets, for all verbs", async () => {
    const metadata = { name: "one", deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 30 };
    const { body } = await apply(`${configMaps}/one`, { apiVersion: "v1", kind: "ConfigMap", metadata });
    expect(body.metadata).not.toHaveProperty("deletionTimestamp");
    const created = await server.replace(`${leases}/one`, { metadata });
    expect(created.body.metadata).not.toHaveProperty("deletionGracePeriodSeconds");
  });

  it("cannot be moved to another namespace by a plug-in", async () => {
    const { code } = await server.create(configMaps, { metadata: { name: "one", labels: { move: "yes" } } });
    expect(code).toBe(400);
  });
});

describe("listing or watching one object by name", () => {
  it("requires permissions for that object only", async () => {
    await allow({ apiGroups: [""], resources: ["configmaps"], resourceNames: ["one"], verbs: ["list"] });
    expect((await server.get(`${configMaps}?fieldSelector=metadata.name%3Done`, ann)).code).toBe(200);
    expect((await server.get(`${configMaps}?fieldSelector=metadata.name%3Dtwo`, ann)).code).toBe(403);
    expect((await server.get(configMaps, ann)).code).toBe(403);
  });
});

describe("a namespace with an object that cannot be deleted", () => {
  it("deletes all other objects and reports why it remains", async () => {
    await server.create("/api/v1/namespaces", { metadata: { name: "inner" } });
    const inner = "/api/v1/namespaces/inner";
    for (const name of ["kept", "zzz"]) await server.create(`${inner}/configmaps`, { metadata: { name } });
    await server.create(`${inner}/secrets`, { metadata: { name: "other" } });
    await server.remove(inner);
    await server.until("the others are gone", async () => (await server.get(`${inner}/secrets/other`)).code === 404);
    expect((await server.get(`${inner}/configmaps/zzz`)).code).toBe(404);
    const { conditions } = (await server.get(inner)).body.status;
    expect(conditions).toContainEqual(
      expect.objectContaining({
        type: "NamespaceDeletionContentFailure",
        status: "True",
        message: expect.stringContaining("it has to stay"),
      }),
    );
  });
});

describe("a second delete", () => {
  it("can change the propagation policy", async () => {
    await server.create(configMaps, { metadata: { name: "one", finalizers: ["example.com/wait"] } });
    await server.remove(`${configMaps}/one`);
    const { body } = await server.remove(`${configMaps}/one?propagationPolicy=Foreground`);
    expect(body.metadata.finalizers).toEqual(["example.com/wait", "foregroundDeletion"]);
  });
});

describe("a changed CRD", () => {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const widgets = "/apis/example.com/v1/namespaces/default/widgets";

  async function define(properties: object): Promise<void> {
    await server.create(definitions, withSpec(properties));
    await server.until("it is served", async () => (await server.get(widgets)).code === 200);
  }

  function withSpec(properties: object): object {
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
    return {
      ...widgetDefinition,
      spec: { ...widgetDefinition.spec, versions: [{ name: "v1", served: true, storage: true, schema }] },
    };
  }

  const widget = {
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "one" },
    spec: { size: 1, color: "red" },
  };

  async function redefine(properties: object): Promise<void> {
    const { spec } = withSpec(properties) as { spec: object };
    await server.merge(`${definitions}/widgets.example.com`, { spec });
    await server.settled();
  }

  it("prevents storing objects that were validated by the previous schema", async () => {
    await define({ size: { type: "integer" }, color: { type: "string" } });
    const held = gate.hold();
    const creating = server.create(widgets, widget);
    await held.reached;
    await redefine({ size: { type: "integer" } });
    held.release();
    const { code, body } = await creating;
    expect([code, body.reason]).toEqual([503, "ServiceUnavailable"]);
    expect((await server.get(`${widgets}/one`)).code).toBe(404);
  });

  it("closes watches of its objects at the next event", async () => {
    await define({ size: { type: "integer" } });
    const watch = await server.watch(`${widgets}?watch=true`);
    await redefine({ size: { type: "integer" }, color: { type: "string" } });
    await server.create(widgets, widget);
    await server.until("it has ended", () => watch.ended === "ended");
    expect(watch.events).toEqual([]);
  });
});

describe("warnings", () => {
  it("fit into headers in any language and number", async () => {
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`日本-${at}-${"x".repeat(1_000)}`, 1]));
    const { code, headers } = await server.create(configMaps, { metadata: { name: "one" }, ...fields });
    const warnings = headers["warning"] as readonly string[];
    expect([code, warnings.length > 0]).toEqual([201, true]);
    expect(warnings.join("").length).toBeLessThan(5_000);
    expect(Buffer.from(warnings[0] as string, "latin1").toString()).toContain("日本-0");
  });
});

describe("a large request", () => {
  const seconds = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return (performance.now() - start) / 1_000;
  };
  const tooSlow = 30;

  it("takes time proportional to its size", async () => {
    const owners = Array.from({ length: 15_000 }, (_, at) => ({
      apiVersion: "v1",
      kind: "A",
      name: "a",
      uid: `u${at}`,
    }));
    const keys = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, "v"]));
    const twice = `{"metadata":{"name":"c"},"data":{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":"1","k${at}":"2"`).join()}}}`;
    const yaml = Object.keys(keys)
      .map((key) => `  ${key}: v`)
      .join("\n");
    const times = [
      await seconds(() => server.create(configMaps, { metadata: { name: "a", ownerReferences: owners } })),
      await seconds(() =>
        apply(`${configMaps}/b`, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, data: keys }),
      ),
      await seconds(() => server.send({ method: "POST", path: configMaps, body: twice })),
      await seconds(() =>
        apply(`${configMaps}/d`, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\ndata:\n${yaml}\n`),
      ),
    ];
    expect(times.filter((time) => time > tooSlow)).toEqual([]);
  });
});
