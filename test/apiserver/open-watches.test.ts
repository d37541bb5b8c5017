import { afterEach, describe, expect, it } from "vitest";
import { type TestOptions, TestServer, turnOfEvents } from "./test-server.ts";
import { users } from "./test-users.ts";
import type { WatchReader } from "./watch-reader.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const watching = `${configMaps}?watch=true`;

describe("watches", () => {
  let server: TestServer;

  const start = async (options: TestOptions = {}): Promise<void> => {
    server = await TestServer.start(options);
  };

  const put = async (name: string, labels: Record<string, string> = {}, data = "1"): Promise<string> => {
    const body = { metadata: { name, labels }, data: { data } };
    const created = await server.create(configMaps, body);
    const reply = created.code === 409 ? await server.replace(`${configMaps}/${name}`, body) : created;
    return reply.body.metadata.resourceVersion;
  };

  afterEach(async () => {
    await server.stop();
    expect(server.faults).toEqual([]);
    expect(server.clock.waiting).toBe(0);
  });

  it("send initial events, a bookmark at their end, and a bookmark every minute", async () => {
    await start();
    const first = await put("a");
    const reader = await server.watch(
      `${watching}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    expect(reader.lines).toEqual(["ADDED a", `BOOKMARK ${first}`]);
    expect(reader.events[1]?.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    await server.create("/api/v1/namespaces", { metadata: { name: "elsewhere" } });
    const newest = String(server.server.registry.store.revision);
    server.clock.advance(60_000);
    expect(reader.lines.slice(2)).toEqual([`BOOKMARK ${newest}`]);
    server.clock.advance(60_000);
    expect(reader.lines.slice(3)).toEqual([`BOOKMARK ${newest}`]);
  });

  it("end after the requested timeout with a last bookmark", async () => {
    await start();
    const reader = await server.watch(`${watching}&resourceVersion=1&timeoutSeconds=10&allowWatchBookmarks=true`);
    const last = await put("a");
    server.clock.advance(9_999);
    expect(reader.ended).toBeUndefined();
    server.clock.advance(1);
    expect(reader.ended).toBe("ended");
    expect(reader.lines).toEqual(["ADDED a", `BOOKMARK ${last}`]);
  });

  it("end after 30 to 60 minutes by default, and after a day at most", async () => {
    await start({ random: { fraction: () => 0.5, uuid: () => `uid-${Math.random()}` } });
    const unbounded = await server.watch(watching);
    const endless = await server.watch(`${watching}&timeoutSeconds=9007199254740991`);
    server.clock.advance(45 * 60_000 - 1);
    expect(unbounded.ended).toBeUndefined();
    server.clock.advance(1);
    expect(unbounded.ended).toBe("ended");
    server.clock.advance(23 * 60 * 60_000);
    expect(endless.ended).toBeUndefined();
    server.clock.advance(60 * 60_000);
    expect(endless.ended).toBe("ended");
  });

  it("send progress immediately on an in-process request, only for the same resource", async () => {
    await start();
    const from = `resourceVersion=${await put("a")}`;
    const requested = await server.watch(`${watching}&${from}&allowWatchBookmarks=true`);
    const others = [
      await server.watch(`/api/v1/configmaps?watch=true&${from}&allowWatchBookmarks=true`),
      await server.watch(`/api/v1/namespaces/default/secrets?watch=true&${from}&allowWatchBookmarks=true`),
      await server.watch(`${watching}&${from}`),
    ];
    await server.create("/api/v1/namespaces", { metadata: { name: "elsewhere" } });
    const reply = await server.send({ path: configMaps, asksProgress: true });
    expect([reply.code, reply.text]).toEqual([200, String(server.server.registry.store.revision)]);
    expect(requested.lines).toEqual([`BOOKMARK ${reply.text}`]);
    expect(others.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it("end when the server stops, and new ones are rejected", async () => {
    await start();
    const reader = await server.watch(watching);
    await server.stop();
    expect(reader.ended).toBe("ended");
    expect((await server.get(watching)).code).toBe(429);
  });

  it("send objects that start or stop matching the selector as added or deleted", async () => {
    await start();
    const reader = await server.watch(`${watching}&labelSelector=color%3Dred`);
    await put("a", { color: "blue" });
    await put("a", { color: "red" });
    await put("a", { color: "red" }, "2");
    const left = await put("a", { color: "green" });
    await put("a", { color: "green" }, "3");
    await server.remove(`${configMaps}/a`);
    expect(reader.lines).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    const last = reader.events[2]?.object;
    expect(last.metadata).toMatchObject({ labels: { color: "red" }, resourceVersion: left });
    expect(last.data).toEqual({ data: "2" });
  });

  it("get 410 for a revision that is no longer in the history", async () => {
    await start({ limits: { store: { historyCount: 5 } } });
    const first = await put("a");
    for (let count = 0; count < 10; count += 1) await put("a", {}, String(count + 2));
    const reader = await server.watch(`${watching}&resourceVersion=${first}`);
    const oldest = server.server.registry.store.oldestRevision;
    expect(reader.events).toMatchObject([
      {
        type: "ERROR",
        object: { code: 410, reason: "Expired", message: `too old resource version: ${first} (${oldest})` },
      },
    ]);
    expect(reader.ended).toBe("ended");
  });

  describe("of a slow client", () => {
    const padding = "x".repeat(1_000);
    const limits = { waitingBytesMax: 10_000, stalledMsMax: 30_000 };

    const write = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 1) await put(`object-${at % 7}`, {}, `${at} ${padding}`);
    };

    it("buffer little and continue from the history", async () => {
      await start({ limits: { watches: limits } });
      const [slow, fast] = [await server.watch(watching), await server.watch(watching)];
      slow.pause();
      await write(100);
      expect(fast.events).toHaveLength(100);
      expect(slow.events.length).toBeLessThan(15);
      expect(slow.waitingBytesMost).toBeLessThan(limits.waitingBytesMax + 2_000);
      slow.drainUntil(100);
      expect(slow.events).toEqual(fast.events);
      expect(slow.waitingBytesMost).toBeLessThan(limits.waitingBytesMax + 2_000);
      await put("last");
      slow.drain();
      expect(slow.lines.at(-1)).toBe("ADDED last");
    });

    it("send initial events in portions and miss no event meanwhile", async () => {
      await start({ limits: { watches: limits } });
      for (let at = 0; at < 60; at += 1) await put(`object-${at}`, {}, padding);
      const reader = await slowFromStart();
      expect(reader.events.length).toBeLessThan(15);
      await put("object-59", {}, "changed");
      await put("new");
      reader.drainUntil(62);
      expect(reader.lines.slice(60)).toEqual(["MODIFIED object-59", "ADDED new"]);
    });

    it("send no bookmark that would skip events", async () => {
      await start({ limits: { watches: { ...limits, bookmarkMs: 1_000 } } });
      const reader = await server.watch(`${watching}&allowWatchBookmarks=true`);
      const initial = reader.lines.length;
      reader.pause();
      await write(20);
      server.clock.advance(5_000);
      expect(reader.lines.slice(initial).filter((line) => line.startsWith("BOOKMARK"))).toEqual([]);
      reader.drainUntil(20);
      server.clock.advance(1_000);
      expect(reader.lines.at(-1)).toBe(`BOOKMARK ${server.server.registry.store.revision}`);
    });

    it("send requested progress only after all earlier events", async () => {
      await start({ limits: { watches: limits } });
      const reader = await server.watch(`${watching}&allowWatchBookmarks=true`);
      const initial = reader.lines.length;
      reader.pause();
      await write(20);
      const { text } = await server.send({ path: configMaps, asksProgress: true });
      expect(reader.lines.slice(initial).filter((line) => line.startsWith("BOOKMARK"))).toEqual([]);
      reader.drainUntil(initial + 21);
      expect(reader.lines.slice(initial + 20)).toEqual([`BOOKMARK ${text}`]);
    });

    it("are closed if the client reads nothing for too long", async () => {
      await start({ limits: { watches: limits } });
      const reader = await server.watch(watching);
      reader.pause();
      await write(100);
      server.clock.advance(29_999);
      expect(reader.ended).toBeUndefined();
      server.clock.advance(1);
      expect(reader.ended).toBe("cut");
    });

    it("get 410 if the missed events are no longer in the history", async () => {
      await start({ limits: { watches: limits, store: { historyCount: 20 } } });
      const reader = await server.watch(watching);
      reader.pause();
      await write(100);
      reader.drain();
      expect(reader.events.at(-1)).toMatchObject({ type: "ERROR", object: { code: 410 } });
      expect(reader.ended).toBe("ended");
    });

    it("are closed, the slowest first, if all together buffer too much", async () => {
      await start({ limits: { watches: { ...limits, allWaitingBytesMax: 60_000 } } });
      const readers: WatchReader[] = [];
      for (let at = 0; at < 12; at += 1) {
        const reader = await server.watch(watching);
        if (at % 2 === 0) reader.pause();
        readers.push(reader);
        await write(1);
      }
      await write(100);
      const cut = readers.filter(({ ended }) => ended === "cut");
      const slow = readers.filter((_, at) => at % 2 === 0);
      expect(cut.length).toBeGreaterThan(0);
      expect(slow).toEqual(expect.arrayContaining(cut));
      const waiting = readers.filter(({ ended }) => ended === undefined).map(({ waitingBytes }) => waitingBytes);
      expect(waiting.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(60_000);
      for (const reader of readers.filter((_, at) => at % 2 === 1)) expect(reader.ended).toBeUndefined();
    });

    async function slowFromStart(): Promise<WatchReader> {
      const { WatchReader } = await import("./watch-reader.ts");
      const { requestOf } = await import("./test-server.ts");
      const answer = await server.server.api.handle(requestOf({ path: watching }));
      const reader = new WatchReader();
      reader.pause();
      if (typeof answer.body !== "string") answer.body.start(reader);
      return reader;
    }
  });

  describe("are limited", () => {
    it("per user, without affecting the user's other requests", async () => {
      await start({ limits: { watches: { countPerUserMax: 3 } } });
      await server.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        metadata: { name: "readers" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
        subjects: [
          { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" },
          { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" },
        ],
      });
      await server.until("roles are gathered", async () => (await server.get(configMaps, users.alice)).code === 200);
      const open = [];
      for (let at = 0; at < 3; at += 1) open.push(await server.watch(watching, { user: users.alice }));
      const rejected = await server.get(watching, users.alice);
      expect([rejected.code, rejected.body.reason, rejected.headers["retry-after"]]).toEqual([
        429,
        "TooManyRequests",
        "1",
      ]);
      expect((await server.get(configMaps, users.alice)).code).toBe(200);
      open.push(await server.watch(watching, { user: users.bob }));
      open[0]?.close();
      open.push(await server.watch(watching, { user: users.alice }));
      expect((await server.get(watching, users.alice)).code).toBe(429);
    });

    it("in total for all users", async () => {
      await start({ limits: { watches: { countMax: 2 } } });
      const [first] = [await server.watch(watching), await server.watch(watching)];
      expect((await server.get(watching)).body.message).toBe("Too many watches: 2 are open already.");
      first?.close();
      await server.watch(watching);
    });

    it("while they are starting", async () => {
      await start({ limits: { watches: { countMax: 2 } } });
      const readers = await Promise.all([1, 2, 3].map(() => server.watch(watching)));
      await turnOfEvents();
      expect(readers.map(({ ended }) => ended)).toEqual([undefined, undefined, "ended"]);
      expect(readers[2]?.events).toMatchObject([{ type: "ERROR", object: { code: 429 } }]);
    });
  });
});
