import { type EmbeddedServer, startEmbedded } from "@milo-quota/apiserver/embedded-server.ts";
import { bootstrapPlane } from "@milo-quota/apiserver/plane-bootstrap.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import { systemClock } from "@milo-quota/apiserver/system-clock.ts";
import { KubeClient, rootPlane } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import { directTransport } from "@milo-quota/kubernetes/client/transport/direct-transport.ts";
import type { Transport } from "@milo-quota/kubernetes/client/transport/transport.ts";
import { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import { type ListWatchOptions, listerWatcherFor } from "@milo-quota/kubernetes/client/watch/lister-watcher.ts";
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
  for (const plane of planes) await bootstrapPlane(server, plane, signal);
  transport = directTransport((request) => server.api.handle(request), admin);
  root = new KubeClient(transport, rootPlane);
});

afterAll(() => server.stop());

const inPlane = (plane: string) =>
  root.inPlane({ plane, prefix: `/planes/${plane}` }).resource(configMaps, parseConfigMap);

function informed(client: ReturnType<typeof inPlane>, selection: ListWatchOptions) {
  const events: string[] = [];
  const informer = new Informer<ConfigMap, string>({
    source: listerWatcherFor(client, transport, { labelSelector: "suite=planes", ...selection }),
    parse: parseConfigMap,
    transform: ({ data }) => data?.["v"] ?? "",
    clock: systemClock,
    random: { fraction: Math.random },
    report: () => undefined,
  });
  informer.subscribe({
    onAdd: ({ plane, name }, now) => events.push(`+ ${plane}/${name}=${now}`),
    onDelete: ({ plane, name }) => events.push(`- ${plane}/${name}`),
  });
  informer.start();
  return { informer, events };
}

const labelled = (name: string, value: string): ConfigMap => {
  const created = configMap("default", name, { v: value });
  return { ...created, metadata: { ...created.metadata, labels: { suite: "planes" } } };
};

describe("control planes", () => {
  it("can be watched together, with the plane of each object, or separately", async () => {
    const [a, b] = [inPlane("project-a"), inPlane("project-b")] as const;
    await a.create(labelled("same", "1"), {}, signal);
    const all = informed(root.resource(configMaps, parseConfigMap), { reach: "all-planes" });
    const onlyB = informed(b, {});
    await Promise.all([all.informer.synced, onlyB.informer.synced]);
    await b.create(labelled("same", "2"), {}, signal);
    await a.delete({ namespace: "default", name: "same" }, {}, signal);
    const last = await b.create(labelled("other", "3"), {}, signal);
    for (const { informer } of [all, onlyB])
      await informer.waitForRevision(last.metadata.resourceVersion ?? "", signal);
    expect(all.events).toEqual(["+ project-a/same=1", "+ project-b/same=2", "- project-a/same", "+ project-b/other=3"]);
    expect(onlyB.events).toEqual(["+ project-b/same=2", "+ project-b/other=3"]);
    expect(all.informer.get({ plane: "project-b", namespace: "default", name: "same" })).toBe("2");
    for (const { informer } of [all, onlyB]) await informer.stop();
  });

  it("have fresh informers after a progress request, without a relist", async () => {
    const all = informed(root.resource(configMaps, parseConfigMap), { reach: "all-planes" });
    const onlyB = informed(inPlane("project-b"), {});
    await Promise.all([all.informer.synced, onlyB.informer.synced]);
    const watches = server.watches.count;
    for (let round = 0; round < 50; round += 1) {
      const plane = planes[round % 2] as string;
      // A write outside of the informer selection advances the revision without an event.
      await inPlane(plane).create(configMap("default", `unseen-${round}`, {}), {}, signal);
      await inPlane(plane).create(labelled(`fresh-${round}`, plane), {}, signal);
      await Promise.all([
        all.informer.waitUntilFresh(signal),
        onlyB.informer.waitUntilFresh(signal),
        all.informer.waitUntilFresh(signal),
      ]);
      const place = { plane, namespace: "default", name: `fresh-${round}` };
      expect(all.informer.get(place)).toBe(plane);
      expect(onlyB.informer.get(place)).toBe(plane === "project-b" ? plane : undefined);
      expect(Number(all.informer.revision)).toBe(server.registry.store.revision);
    }
    expect(server.watches.count).toBe(watches);
    for (const { informer } of [all, onlyB]) await informer.stop();
  });

  it("are named in lists across planes", async () => {
    await inPlane("project-a").create(labelled("listed", "1"), {}, signal);
    const client = root.resource(configMaps, parseConfigMap);
    const listed = { labelSelector: "suite=planes", reach: "all-planes" } as const;
    const { items } = await client.rawList(listed, signal);
    const found = items.map(({ plane, object }) => `${plane}/${(object["metadata"] as { name?: string }).name}`);
    expect(found).toContain("project-a/listed");
    expect(found).toContain("project-b/other");
  });
});
