import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { widget, widgetDefinition, widgets } from "./custom-kinds.ts";
import { requestOf, TestServer, turnOfEvents } from "./test-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";

describe("limits", () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await TestServer.start();
    await server.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
    await server.until("it is served", async () => (await server.get(widgets("default"))).code === 200);
  });

  afterEach(async () => {
    expect((await server.get(widgets("default"))).code).toBe(200);
    await server.stop();
    expect(server.faults).toEqual([]);
    expect(server.clock.waiting).toBe(0);
  });

  const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  const status = `${widgets("default")}/w/status`;
  const jsonPatch = (path: string, body: unknown) =>
    server.send({ method: "PATCH", path, body, type: "application/json-patch+json" });

  it.each([
    ["JSON", "application/json"],
    ["YAML", "application/yaml"],
  ])("of depth apply to objects in %s", async (_, type) => {
    for (const depth of [500, 990, 1_010, 2_000, 9_000, 20_000, 200_000]) {
      const body = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w-${depth}"},"status":${nested(depth)}}`;
      const { code } = await server.send({ method: "POST", path: widgets("default"), body, type });
      expect(code, `${depth}`).toBe(depth < 999 ? 201 : 400);
    }
  });

  it("of depth apply to the results of small patches", async () => {
    await server.create(widgets("default"), widget("w"));
    let path = "/status";
    for (let step = 0; step < 30; step += 1) {
      const value = JSON.parse(nested(100));
      const { code } = await jsonPatch(status, [{ op: "add", path, value }]);
      path += "/a".repeat(100);
      expect([200, 400, 413, 422]).toContain(code);
      if (code !== 200) return;
    }
    throw new Error("an object 3000 levels deep was stored");
  });

  it("of size apply to the results of small patches", async () => {
    await server.create(widgets("default"), widget("w"));
    const value = "x".repeat(400_000);
    for (let step = 0; step < 20; step += 1) {
      const { code, body } = await server.merge(status, { status: { [`key-${step}`]: value } });
      if (code === 200) continue;
      expect([code, body.reason]).toEqual([413, "RequestEntityTooLarge"]);
      expect(step).toBeGreaterThan(2);
      return;
    }
    throw new Error("an object of 8 MB was stored");
  });

  it("apply to JSON patches that copy repeatedly", async () => {
    await server.create(widgets("default"), widget("w", { status: {} }));
    await server.merge(status, { status: { a: "x".repeat(1_000), all: [] } });
    const copies = Array.from({ length: 60 }, (_, at) => ({ op: "copy", from: "/status", path: `/status/copy-${at}` }));
    const { code } = await jsonPatch(status, copies);
    expect([400, 413, 422]).toContain(code);
    const many = Array.from({ length: 20_000 }, () => ({ op: "add", path: "/status/all/0", value: 1 }));
    expect([400, 413, 422]).toContain((await jsonPatch(status, many)).code);
  });

  it("of name length apply to kinds that accept any name", async () => {
    const roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    for (const name of ["a\0b", "x".repeat(1_025), "x".repeat(1_000_000), "a/b", "."]) {
      const { code, body } = await server.create(roles, { metadata: { name }, rules: [] });
      expect([code, body.reason]).toEqual([422, "Invalid"]);
      const encoded = encodeURIComponent(name);
      expect((await server.get(`${roles}/${encoded}`)).code).toBe(404);
    }
    for (const name of ["system:a b", "é😀", "x".repeat(1_024)]) {
      expect((await server.create(roles, { metadata: { name }, rules: [] })).code).toBe(201);
      expect((await server.get(`${roles}/${encodeURIComponent(name)}`)).body.metadata.name).toBe(name);
    }
  });

  it("of time apply to a client that never finishes its body", async () => {
    const request = requestOf({ method: "POST", path: configMaps });
    const { signal } = request.abortController;
    const body = (): Promise<string> =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const answer = server.server.api.handle({ ...request, body });
    await turnOfEvents();
    server.clock.advance(60_000);
    const { code, body: text } = await answer;
    expect([code, JSON.parse(String(text)).reason]).toEqual([504, "Timeout"]);
  });

  it("allow deleting a collection of thousands while other requests are served", async () => {
    await Promise.all(
      Array.from({ length: 3_000 }, (_, at) => server.create(configMaps, { metadata: { name: `m-${at}` } })),
    );
    let isDone = false;
    const deleted = server.remove(configMaps).finally(() => {
      isDone = true;
    });
    let served = 0;
    for (; !isDone; served += 1) {
      await server.get(`${configMaps}/m-1`);
      await turnOfEvents();
    }
    expect((await deleted).body.items).toHaveLength(3_000);
    expect((await server.get(configMaps)).body.items).toEqual([]);
    expect(served).toBeGreaterThan(1);
  });

  it("of a list page apply to any requested limit", async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, at) => server.create(configMaps, { metadata: { name: `m-${at}` } })),
    );
    const list = async (limit: string) => (await server.get(`${configMaps}?limit=${limit}`)).code;
    expect([
      await list("9007199254740991"),
      await list("9223372036854775807"),
      await list("99999999999999999999"),
    ]).toEqual([200, 200, 400]);
    expect((await server.get(`${configMaps}?limit=-5`)).body.items.length).toBe(30);
  });
});
