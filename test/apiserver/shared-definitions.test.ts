import { rootPlane } from "@milo-quota/apiserver/embedded-server.ts";
import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { widgetDefinition, widgets } from "./custom-kinds.ts";
import { TestServer, turnOfEvents } from "./test-server.ts";

const resolvePlane: PlaneResolver = (path) => {
  const [, plane, rest] = /^\/planes\/([a-z0-9-]+)(\/.*)$/.exec(path) ?? [];
  return plane !== undefined && rest !== undefined ? { plane, path: rest } : { plane: rootPlane, path };
};

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const definition = `${definitions}/${widgetDefinition.metadata.name}`;
const allWidgets = "/apis/example.com/v1/widgets";
const at = (plane: string, path: string): string => (plane === "root" ? path : `/planes/${plane}${path}`);
const widget = (name: string, spec: object = {}) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});

/** The same resource with another schema. */
function otherDefinition(): object {
  const [version] = widgetDefinition.spec.versions;
  const properties = { spec: { type: "object", properties: { color: { type: "string", default: "red" } } } };
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return { ...widgetDefinition, spec: { ...widgetDefinition.spec, versions: [{ ...version, schema }] } };
}

let server: TestServer;
const isServed = async (plane: string): Promise<boolean> =>
  (await server.get(at(plane, widgets("default")))).code === 200;
const define = async (plane: string, body: object = widgetDefinition): Promise<void> => {
  await server.create(at(plane, definitions), body);
  await server.until("it is served", () => isServed(plane));
  await server.settled();
};
const namesIn = async (plane: string): Promise<readonly string[]> =>
  (await server.get(at(plane, allWidgets))).body.items.map(
    (item: { metadata: { name: string } }) => item.metadata.name,
  );

async function start(definitionsFrom?: (plane: string) => string | undefined): Promise<void> {
  server = await TestServer.start({ resolvePlane, ...(definitionsFrom === undefined ? {} : { definitionsFrom }) });
  for (const plane of ["a", "b"]) await server.server.openPlane(plane);
  await server.settled();
}

afterEach(async () => {
  await server.stop();
  expect(server.faults).toEqual([]);
  expect(server.clock.waiting).toBe(0);
});

describe("a kind that the root plane does not serve", () => {
  beforeEach(() => start());

  it("is listed and watched in all planes that do, each object by the schema of its plane", async () => {
    expect((await server.send({ path: allWidgets, allPlanes: true })).code).toBe(404);
    await define("a");
    await define("b", otherDefinition());
    await server.create(at("b", widgets("default")), widget("theirs"));
    const reader = await server.watch(`${allWidgets}?watch=true`, { allPlanes: true });
    await server.create(at("a", widgets("default")), widget("ours", { size: 3 }));
    await turnOfEvents();
    const events = reader.events.map(({ type, plane, object }) => [type, plane, object.metadata.name, object.spec]);
    expect(events).toEqual([
      ["ADDED", "b", "theirs", { color: "red" }],
      ["ADDED", "a", "ours", expect.objectContaining({ size: 3 })],
    ]);
    const { body } = await server.send({ path: allWidgets, allPlanes: true });
    expect(body.planes).toEqual(["a", "b"]);
    expect(body.items.map((item: { spec: object }) => item.spec)).toEqual([events[1]?.[3], { color: "red" }]);
  });

  it("uses no schema of another plane once the root plane serves it", async () => {
    await define("b", otherDefinition());
    await server.create(at("b", widgets("default")), widget("theirs"));
    await define("root");
    const { body } = await server.send({ path: allWidgets, allPlanes: true });
    expect(body.items.map((item: { spec: object }) => item.spec)).toEqual([{ color: "red" }]);
    const reader = await server.watch(`${allWidgets}?watch=true`, { allPlanes: true });
    expect(reader.events.map(({ object }) => object.spec)).toEqual([{ color: "red" }]);
  });

  it("keeps its watches when one plane deletes the CRD, and closes them with the last one", async () => {
    await define("a");
    await define("b");
    for (const plane of ["a", "b"]) await server.create(at(plane, widgets("default")), widget("w"));
    const watch = `${allWidgets}?watch=true`;
    const seen = async () => (await server.send({ path: allWidgets, allPlanes: true })).body.planes;
    const reader = await server.watch(watch, { allPlanes: true });
    await server.remove(at("a", definition));
    await server.until("it is gone from a", async () => !(await isServed("a")));
    expect(reader.events.map(({ type, plane }) => `${type} ${plane}`)).toEqual(["ADDED a", "ADDED b", "DELETED a"]);
    expect(await seen()).toEqual(["b"]);
    await server.remove(at("b", definition));
    await server.until("it is gone from b", async () => !(await isServed("b")));
    expect((await server.send({ path: allWidgets, allPlanes: true })).code).toBe(404);
  });
});

describe("CRDs of the root plane that apply to all planes", () => {
  beforeEach(() => start((plane) => (plane === rootPlane ? undefined : rootPlane)));

  it("are served in all planes, with separate objects, discovery and OpenAPI", async () => {
    await define("root");
    for (const plane of ["root", "a", "never-opened"]) expect(await isServed(plane)).toBe(true);
    expect((await server.create(at("a", widgets("default")), widget("w"))).code).toBe(201);
    expect([await namesIn("root"), await namesIn("a"), await namesIn("b")]).toEqual([[], ["w"], []]);
    const { body } = await server.get(at("a", "/apis/example.com/v1"));
    expect(body.resources.map(({ name }: { name: string }) => name)).toContain("widgets");
    expect((await server.get(at("a", "/openapi/v3/apis/example.com/v1"))).text).toContain("Widget");
    expect((await server.get(at("a", definitions))).body.items).toEqual([]);
    expect((await server.create(at("a", widgets("default")), widget("x", { size: "large" }))).code).toBe(422);
  });

  it("are shared by all planes in memory", async () => {
    await define("root");
    const { kinds, registry } = server.server;
    const before = registry.store.revision;
    expect(kinds.inPlane("a")).toBe(kinds.inPlane("root"));
    for (let count = 0; count < 1_000; count += 1) expect(kinds.inPlane(`p${count}`)).toBe(kinds.inPlane("root"));
    await server.create(at("a", definitions), {
      ...widgetDefinition,
      metadata: { name: "gears.example.com" },
      spec: {
        ...widgetDefinition.spec,
        names: { plural: "gears", singular: "gear", kind: "Gear", listKind: "GearList" },
      },
    });
    const gears = "/apis/example.com/v1/gears";
    await server.until("both are served", async () => (await server.get(at("a", gears))).code === 200);
    const [own, root] = [kinds.inPlane("a"), kinds.inPlane("root")];
    expect(own.find("example.com", "v1", "widgets")).toBe(root.find("example.com", "v1", "widgets"));
    expect(kinds.inPlane("a")).toBe(own);
    expect((await server.get(at("b", gears))).code).toBe(404);
    expect(registry.store.revision).toBeLessThan(before + 5);
  });

  it("can be watched in all planes and follow a schema change", async () => {
    await define("root");
    const reader = await server.watch(`${at("a", allWidgets)}?watch=true`);
    await server.create(at("a", widgets("default")), widget("w", { size: 3 }));
    await turnOfEvents();
    expect(reader.lines).toEqual(["ADDED w"]);
    const { body: stored } = await server.get(definition);
    await server.replace(definition, { ...otherDefinition(), metadata: stored.metadata });
    await server.settled();
    expect((await server.get(at("a", `${widgets("default")}/w`))).body.spec).toEqual({ color: "red" });
    await server.create(at("a", widgets("default")), widget("x"));
    await turnOfEvents();
    expect(reader.ended).toBe("ended");
  });

  it("are overridden by a plane's own CRD of the same name until that is deleted", async () => {
    await define("root");
    await define("a", otherDefinition());
    await server.until("its own holds", async () => {
      const { body } = await server.create(at("a", widgets("default")), widget(`w${Math.random()}`.replace(".", "")));
      return body.spec?.color === "red";
    });
    expect((await server.create(at("b", widgets("default")), widget("w"))).body.spec.color).toBeUndefined();
    await server.remove(at("a", definition));
    await server.until("it is gone", async () => (await server.get(at("a", definition))).code === 404);
    expect(await namesIn("a")).toEqual([]);
    expect((await server.create(at("a", widgets("default")), widget("again"))).body.spec.color).toBeUndefined();
  });

  it("reserve their names against other CRDs of a plane", async () => {
    await define("root");
    await server.create(at("a", definitions), {
      ...widgetDefinition,
      metadata: { name: "others.example.com" },
      spec: {
        ...widgetDefinition.spec,
        names: { plural: "others", singular: "other", kind: "Widget", listKind: "OL" },
      },
    });
    await server.settled();
    const conditions = async () =>
      (await server.get(at("a", `${definitions}/others.example.com`))).body.status.conditions.map(
        ({ type, status, reason }: Record<string, string>) => `${type}=${status} ${reason}`,
      );
    expect(await conditions()).toContain("NamesAccepted=False KindConflict");
    await server.remove(definition);
    await server.until("the name is free", async () =>
      (await conditions()).includes("Established=True InitialNamesAccepted"),
    );
  });

  it("delete their objects in all planes, except planes with their own CRD", async () => {
    await define("root");
    await define("b", otherDefinition());
    for (const plane of ["root", "a", "b"]) {
      await server.create(at(plane, widgets("default")), widget("w"));
    }
    const held = { ...widget("held"), metadata: { name: "held", finalizers: ["example.com/hold"] } };
    await server.create(at("a", widgets("default")), held);
    await server.remove(definition);
    await server.until("all but the held one are gone", async () => (await namesIn("a")).join() === "held");
    expect((await server.create(at("a", widgets("default")), widget("late"))).code).toBe(403);
    expect((await server.get(definition)).code).toBe(200);
    await server.merge(at("a", `${widgets("default")}/held`), { metadata: { finalizers: null } });
    await server.until("the definition is gone", async () => (await server.get(definition)).code === 404);
    expect([await isServed("root"), await isServed("a"), await isServed("b")]).toEqual([false, false, true]);
    expect(await namesIn("b")).toEqual(["w"]);
    expect([...server.server.registry.store.list({ resource: "widgets.example.com" })]).toHaveLength(1);
  });
});
