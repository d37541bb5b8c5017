import { rootPlane } from "@milo-quota/apiserver/embedded-server.ts";
import type { PlaneResolver } from "@milo-quota/apiserver/http/plane-path.ts";
import { MemoryLog } from "@milo-quota/apiserver/storage/log/memory-log.ts";
import type { LogRecord, RecordLog } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { afterEach, describe, expect, it } from "vitest";
import { widget, widgetDefinition, widgets } from "./custom-kinds.ts";
import { type TestOptions, TestServer, turnOfEvents } from "./test-server.ts";

const resolvePlane: PlaneResolver = (path) => {
  const [, plane, rest] = /^\/planes\/([a-z0-9-]+)(\/.*)$/.exec(path) ?? [];
  return plane !== undefined && rest !== undefined ? { plane, path: rest } : { plane: rootPlane, path };
};

const configMaps = "/api/v1/namespaces/default/configmaps";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const inA = (path: string): string => `/planes/a${path}`;
const inB = (path: string): string => `/planes/b${path}`;

let server: TestServer;

async function start(options: TestOptions = {}): Promise<void> {
  server = await TestServer.start({ resolvePlane, ...options });
}

/** Keys of all objects of a plane. */
function storedIn(plane: string): readonly string[] {
  const { store } = server.server.registry;
  return store
    .resources()
    .flatMap((resource) => [...store.list({ plane, resource })].map(({ key }) => `${resource}/${key.name}`));
}

/** The same log, which fails after a number of records. */
function cutAfter(log: MemoryLog, recordsMax: number): RecordLog {
  let left = recordsMax;
  return {
    location: log.location,
    load: () => log.load(),
    gatherWrites: () => log.gatherWrites(),
    hasRoom: () => log.hasRoom(),
    append: async (records: readonly LogRecord[]) => {
      await log.append(records.slice(0, Math.min(left, records.length)));
      left -= records.length;
      if (left < 0) throw new Error("the disk is disconnected");
    },
    compact: (compacted, obsolete) => log.compact(compacted, obsolete),
    close: () => log.close(),
  };
}

async function fill(to: (path: string) => string, count: number): Promise<void> {
  await server.create(to(definitions), widgetDefinition);
  await server.until("it is served", async () => (await server.get(to(widgets("default")))).code === 200);
  for (let at = 0; at < count; at += 1) {
    const metadata = { name: `object-${at}`, finalizers: ["example.com/forever"] };
    await server.create(to(configMaps), { metadata });
    await server.create(to(widgets("default")), widget(`w${at}`, { metadata }));
  }
}

describe("closing a plane", () => {
  afterEach(async () => {
    await server.stop();
    expect(server.faults).toEqual([]);
    expect(server.clock.waiting).toBe(0);
  });

  it("deletes all its objects, even those with finalizers, and nothing else", async () => {
    await start();
    for (const [plane, to] of [
      ["a", inA],
      ["b", inB],
    ] as const) {
      await server.server.openPlane(plane);
      await fill(to, 20);
    }
    await server.settled();
    const before = storedIn("b");
    const reader = await server.watch("/api/v1/configmaps?watch=true", { allPlanes: true });
    const within = await server.watch(`${inA(configMaps)}?watch=true`);
    await server.server.closePlane("a");
    await server.settled();
    expect(storedIn("a")).toEqual([]);
    expect(storedIn("b")).toEqual(before);
    const gone = reader.events.filter(({ type }) => type === "DELETED").map(({ plane }) => plane);
    expect(gone).toEqual(Array.from({ length: 20 }, () => "a"));
    expect(reader.ended).toBeUndefined();
    expect([within.ended, within.lines.at(-1)?.startsWith("DELETED")]).toEqual(["ended", true]);
  });

  it("allows an empty plane of the same name afterwards", async () => {
    await start();
    for (let round = 0; round < 3; round += 1) {
      await server.server.openPlane("a");
      await fill(inA, 3);
      const closed = server.server.closePlane("a");
      const opened = server.server.openPlane("a");
      await Promise.all([closed, opened]);
      await server.settled();
      expect((await server.get(inA(widgets("default")))).code).toBe(404);
      expect((await server.get(inA(configMaps))).body.items).toEqual([]);
      expect((await server.create(inA(configMaps), { metadata: { name: "new" } })).code).toBe(201);
    }
  });

  it("rejects new requests and stores no requests in flight", async () => {
    const waiting: (() => void)[] = [];
    const validate = async ({ name }: { readonly name: string }) => {
      if (name === "late") await new Promise<void>((resolve) => waiting.push(resolve));
      return { allowed: true } as const;
    };
    await start({ plugins: [{ name: "slow", validate }] });
    await server.server.openPlane("a");
    const slow = server.create(inA("/api/v1/namespaces"), { metadata: { name: "late" } });
    await turnOfEvents();
    expect(waiting).toHaveLength(1);
    const closed = server.server.closePlane("a");
    expect((await server.get(inA(configMaps))).code).toBe(404);
    for (const go of waiting.splice(0)) go();
    expect((await slow).code).toBe(404);
    await closed;
    expect(storedIn("a")).toEqual([]);
  });

  it("resumes after a crash at any write", async () => {
    for (let writes = 0; writes < 70; writes += 7) {
      const log = new MemoryLog();
      await start({ log: cutAfter(log, Number.POSITIVE_INFINITY) });
      await server.server.openPlane("a");
      await fill(inA, 10);
      await server.settled();
      await server.stop();
      await start({ log: cutAfter(log, writes) });
      server.server.closePlane("a").catch(() => undefined);
      for (let turns = 0; turns < 50; turns += 1) await turnOfEvents();
      await server.stop();
      server.faults.length = 0; // expected: the disk was disconnected
      await start({ log: cutAfter(log, Number.POSITIVE_INFINITY) });
      const wasBegun = server.server.registry.isClosing?.("a") === true || storedIn("a").length === 0;
      await server.server.openPlane("a");
      expect((await server.get(inA(configMaps))).body.items).toHaveLength(wasBegun ? 0 : 10);
      await server.stop();
    }
  }, 60_000);

  it("is rejected for the root plane and for a plane whose CRDs other planes use", async () => {
    await start({ definitionsFrom: (plane) => (plane === "a" ? "b" : undefined) });
    await server.server.openPlane("a");
    await server.server.openPlane("b");
    await expect(server.server.closePlane(rootPlane)).rejects.toThrow("the root plane cannot be closed");
    await expect(server.server.closePlane("b")).rejects.toThrow('while plane "a" uses its definitions');
    await server.server.closePlane("a");
    await server.server.closePlane("b");
    expect([storedIn("a"), storedIn("b")]).toEqual([[], []]);
  });
});
