import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../src/protocol/object-meta.ts";
import { configMap, configMaps, definitions, namespaces, parseAny, widgetDefinition, widgets } from "./kinds.ts";
import { inProcess, overSockets, type Twin } from "./twin-servers.ts";

const { signal } = new AbortController();
const namespace = "early";

/** What a client hears of a write, in order. */
async function heard(write: (ordered: (object: unknown) => void) => Promise<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  all.push(["answer", await write((object) => all.push(["notice", object]))]);
  return all;
}

async function prepare({ client }: Twin): Promise<void> {
  await client.resource(definitions, parseAny).create(widgetDefinition as KubernetesObject, {}, signal);
  const made = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } };
  await client.resource(namespaces, parseAny).create(made, {}, signal);
}

describe("a write whose place in the log is of interest", () => {
  let direct: Twin;
  let sockets: Twin;

  beforeAll(async () => {
    direct = await inProcess();
    sockets = await overSockets();
    await prepare(direct);
    await prepare(sockets);
  });

  afterAll(async () => {
    await direct.stop();
    await sockets.stop();
  });

  it("is told of before it is answered, as it is going to be answered, by a server in this process", async () => {
    const maps = direct.client.resource(configMaps, parseAny);
    const [notice, answer] = await heard((ordered) => maps.create(configMap(namespace, "a"), { ordered }, signal));
    expect(notice).toEqual(["notice", (answer as readonly unknown[])[1]]);
    expect(answer).toMatchObject(["answer", { metadata: { name: "a", resourceVersion: expect.any(String) } }]);
  });

  it("is told of when it is of a status as well", async () => {
    const objects = direct.client.resource(widgets, parseAny);
    const widget = { apiVersion: "client.example.com/v1", kind: "Widget", metadata: { name: "w", namespace } };
    const made = await objects.create(widget, {}, signal);
    const next = { ...made, status: { ready: true } } as unknown as KubernetesObject;
    const [notice, answer] = await heard((ordered) => objects.updateStatus(next, { ordered }, signal));
    expect(notice).toEqual(["notice", (answer as readonly unknown[])[1]]);
  });

  it("is not told of when it is refused, or only tried", async () => {
    const maps = direct.client.resource(configMaps, parseAny);
    await maps.create(configMap(namespace, "b"), {}, signal);
    const notices: unknown[] = [];
    const ordered = (object: unknown): unknown => notices.push(object);
    await expect(maps.create(configMap(namespace, "b"), { ordered }, signal)).rejects.toThrow("already exists");
    await maps.create(configMap(namespace, "c"), { ordered, dryRun: true }, signal);
    expect(notices).toEqual([]);
  });

  it("is only answered by a server elsewhere", async () => {
    const maps = sockets.client.resource(configMaps, parseAny);
    const all = await heard((ordered) => maps.create(configMap(namespace, "a"), { ordered }, signal));
    expect(all).toMatchObject([["answer", { metadata: { name: "a" } }]]);
  });
});
