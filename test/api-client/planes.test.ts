import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { bootstrapPlane } from "@milo-quota/apiserver/plane-bootstrap.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { type Selection, sourceOf } from "@milo-quota/kubernetes/client/watch/object-source.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConfigMap, configMap, configMaps, parseConfigMap } from "./kinds.ts";

const admin = { username: "admin", uid: "admin", groups: ["system:masters"], extra: {} };
const { signal } = new AbortController();
const planes = ["project-a", "project-b"];

function planeIn(path: string): { plane: string; path: string } {
  const found = /^\/planes\/([^/]+)(\/.*)$/.exec(path);
  return found === null ? { plane: "root", path } : { plane: found[1] ?? "", path: found[2] ?? "" };
}

let server: EmbeddedServer;
let transport: Transport;
let root: KubeClient;

beforeAll(async () => {
  const report = (error: unknown): never => expect.fail(String(error));
  server = await startEmbedded({ log: new MemoryLog(), clock: systemClock, tokens: [], resolvePlane: planeIn, report });
  for (const plane of planes) await bootstrapPlane(server.registry, server.kinds, plane, signal);
  transport = directTransport((request) => server.api.handle(request), admin);
  root = new KubeClient(transport, rootPlane);
});

afterAll(() => server.stop());

const inPlane = (plane: string) =>
  root.inPlane({ plane, prefix: `/planes/${plane}` }).resource(configMaps, parseConfigMap);

function informed(client: ReturnType<typeof inPlane>, selection: Selection) {
  const told: string[] = [];
  const informer = new Informer<ConfigMap, string>({
    source: sourceOf(client, transport, { labelSelector: "suite=planes", ...selection }),
    parse: parseConfigMap,
    keep: ({ data }) => data?.["v"] ?? "",
    clock: systemClock,
    random: { fraction: Math.random },
    report: () => undefined,
  });
  informer.subscribe({
    added: ({ plane, name }, now) => told.push(`+ ${plane}/${name}=${now}`),
    removed: ({ plane, name }) => told.push(`- ${plane}/${name}`),
  });
  informer.start();
  return { informer, told };
}

const labelled = (name: string, value: string): ConfigMap => {
  const made = configMap("default", name, { v: value });
  return { ...made, metadata: { ...made.metadata, labels: { suite: "planes" } } };
};

describe("control planes", () => {
  it("are followed all at once, each object known by its plane; or one by one", async () => {
    const [a, b] = [inPlane("project-a"), inPlane("project-b")] as const;
    await a.create(labelled("same", "1"), {}, signal);
    const all = informed(root.resource(configMaps, parseConfigMap), { reach: "all-planes" });
    const onlyB = informed(b, {});
    await Promise.all([all.informer.ready, onlyB.informer.ready]);
    await b.create(labelled("same", "2"), {}, signal);
    await a.delete({ namespace: "default", name: "same" }, {}, signal);
    const last = await b.create(labelled("other", "3"), {}, signal);
    for (const { informer } of [all, onlyB]) await informer.atLeast(last.metadata.resourceVersion ?? "", signal);
    expect(all.told).toEqual(["+ project-a/same=1", "+ project-b/same=2", "- project-a/same", "+ project-b/other=3"]);
    expect(onlyB.told).toEqual(["+ project-b/same=2", "+ project-b/other=3"]);
    expect(all.informer.get({ plane: "project-b", namespace: "default", name: "same" })).toBe("2");
    for (const { informer } of [all, onlyB]) await informer.stop();
  });

  it("are known up to the moment that somebody asks, without reading anything anew", async () => {
    const all = informed(root.resource(configMaps, parseConfigMap), { reach: "all-planes" });
    const onlyB = informed(inPlane("project-b"), {});
    await Promise.all([all.informer.ready, onlyB.informer.ready]);
    const watches = server.watches.count;
    for (let round = 0; round < 50; round += 1) {
      const plane = planes[round % 2] as string;
      // What nobody follows moves the server on, and is no event to anybody.
      await inPlane(plane).create(configMap("default", `unseen-${round}`, {}), {}, signal);
      await inPlane(plane).create(labelled(`fresh-${round}`, plane), {}, signal);
      await Promise.all([all.informer.fresh(signal), onlyB.informer.fresh(signal), all.informer.fresh(signal)]);
      const place = { plane, namespace: "default", name: `fresh-${round}` };
      expect(all.informer.get(place)).toBe(plane);
      expect(onlyB.informer.get(place)).toBe(plane === "project-b" ? plane : undefined);
      expect(Number(all.informer.revision)).toBe(server.registry.store.revision);
    }
    expect(server.watches.count).toBe(watches);
    for (const { informer } of [all, onlyB]) await informer.stop();
  });

  it("are named in lists of all of them", async () => {
    await inPlane("project-a").create(labelled("listed", "1"), {}, signal);
    const client = root.resource(configMaps, parseConfigMap);
    const listed = { labelSelector: "suite=planes", reach: "all-planes" } as const;
    const { items } = await client.rawList(listed, signal);
    const found = items.map(({ plane, object }) => `${plane}/${(object["metadata"] as { name?: string }).name}`);
    expect(found).toContain("project-a/listed");
    expect(found).toContain("project-b/other");
  });
});
