import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MemoryLog } from "./log/memory-log.ts";
import type { RecordLog } from "./log/record-log.ts";
import { SqliteLog } from "./log/sqlite-log.ts";
import type { ObjectKey } from "./object-key.ts";
import { type Change, type ObjectStore, RevisionCompacted, StorageUnavailable } from "./object-store.ts";
import { openStore, type StoreOptions } from "./store.ts";
import type { StoreLimits } from "./store-limits.ts";
import type { StoredObject } from "./stored-object.ts";

interface Backend {
  /** Reopens the log as after a restart. */
  log(): RecordLog;
  clean(): void;
}

const backends: Record<string, () => Backend> = {
  "in memory": () => {
    const log = new MemoryLog();
    return { log: () => log, clean: () => undefined };
  },
  "on disk": () => {
    const directory = mkdtempSync(join(tmpdir(), "milo-quota-store-"));
    return {
      log: () => new SqliteLog({ directory }),
      clean: () => rmSync(directory, { recursive: true, force: true }),
    };
  },
};

const configmaps = { resource: "configmaps" };

function key(name: string, namespace = "default", plane = "root"): ObjectKey {
  return { plane, resource: "configmaps", namespace, name };
}

function configMap(name: string, data: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data };
}

function names(listed: Iterable<StoredObject>): string[] {
  return [...listed].map(({ key: { plane, namespace, name } }) => `${plane}/${namespace}/${name}`);
}

function summary(changes: readonly Change[]): string[] {
  return changes.map(({ type, revision, stored }) => `${type} ${stored.key.name} ${revision}`);
}

for (const [where, makeBackend] of Object.entries(backends)) {
  describe(`a store ${where}`, () => {
    let backend: Backend;
    let clock: FakeClock;
    let store: ObjectStore;

    async function open(options?: StoreOptions): Promise<void> {
      store = await openStore(backend.log(), clock, options);
    }

    async function restart(options?: StoreOptions): Promise<void> {
      await store.close();
      await open(options);
    }

    async function put(to: ObjectKey, data: JsonObject = {}): Promise<StoredObject> {
      const result = await store.put(to, store.get(to)?.revision ?? 0, configMap(to.name, data));
      if (!result.ok) throw new Error(`conflict at ${to.name}`);
      return result.stored;
    }

    async function remove(from: ObjectKey): Promise<StoredObject> {
      const result = await store.remove(from, store.get(from)?.revision ?? 0, configMap(from.name));
      if (!result.ok) throw new Error(`conflict at ${from.name}`);
      return result.stored;
    }

    function watched(from = store.revision, scope: Parameters<ObjectStore["watch"]>[0] = configmaps): Change[] {
      const changes: Change[] = [];
      store.watch(scope, from, (change) => changes.push(change));
      return changes;
    }

    beforeEach(async () => {
      backend = makeBackend();
      clock = new FakeClock();
      await open();
    });

    afterEach(async () => {
      await store.close();
      backend.clean();
      expect(clock.waiting).toBe(0);
    });

    it("keeps one key instance for all versions of an object", async () => {
      const created = await put(key("a"), { n: 1 });
      const updated = await put(key("a"), { n: 2 });
      await restart();
      const loaded = store.get(key("a"));
      const removed = await remove(key("a"));
      const again = await put(key("a"));
      expect(updated.key).toBe(created.key);
      expect(removed.key).toBe(loaded?.key);
      expect(again.key).not.toBe(removed.key);
    });

    it("creates, updates and deletes an object under growing revisions", async () => {
      expect(store.revision).toBe(1);
      const created = await put(key("a"), { n: 1 });
      const updated = await put(key("a"), { n: 2 });
      expect([created.revision, updated.revision, store.revision]).toEqual([2, 3, 3]);
      expect(store.get(key("a"))?.object).toEqual({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", resourceVersion: "3" },
        data: { n: 2 },
      });
      expect(JSON.parse(updated.text)).toEqual(updated.object);
      const removed = await remove(key("a"));
      expect(removed.revision).toBe(4);
      expect(removed.object.metadata.resourceVersion).toBe("4");
      expect(store.get(key("a"))).toBeUndefined();
      expect(store.revision).toBe(4);
    });

    it("rejects a write with a stale revision, and returns the latest version", async () => {
      const stored = await put(key("a"));
      const newest = await put(key("a"));
      const rejected = [
        await store.put(key("a"), 0, configMap("a")),
        await store.put(key("a"), stored.revision, configMap("a")),
        await store.remove(key("a"), stored.revision, configMap("a")),
        await store.remove(key("a"), 0, configMap("a")),
      ];
      for (const result of rejected) expect(result).toEqual({ ok: false, current: newest });
      const absent = [
        await store.put(key("b"), newest.revision, configMap("b")),
        await store.remove(key("b"), newest.revision, configMap("b")),
        await store.remove(key("b"), 0, configMap("b")),
      ];
      for (const result of absent) expect(result).toEqual({ ok: false, current: undefined });
      expect(store.revision).toBe(newest.revision);
    });

    it("accepts one of many concurrent writes of the same version", async () => {
      const writers = Array.from({ length: 20 }, (_, n) => store.put(key("a"), 0, configMap("a", { n })));
      const results = await Promise.all(writers);
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      for (const result of results) if (!result.ok) expect(result.current).toBe(store.get(key("a")));
      expect(store.revision).toBe(2);
    });

    it("lists by plane, namespace and name in byte order", async () => {
      const order = [
        key("z", "", "a"),
        key("a", "a", "a"),
        key("b", "a", "a"),
        key("b-1", "a", "a"),
        key("b1", "a", "a"),
        key("a", "a-b", "a"),
        key("a", "ab", "a"),
        key("\u{e9}", "b", "a"),
        key("\u{ff5e}", "b", "a"),
        key("\u{1f600}", "b", "a"),
        key("a", "a", "a-b"),
      ];
      for (const at of [3, 9, 0, 7, 10, 1, 5, 8, 2, 6, 4]) await put(order[at]!);
      const inOrder = names(order.map((each) => store.get(each)!));
      expect(names(store.list(configmaps))).toEqual(inOrder);
      expect(names(store.list({ ...configmaps, plane: "a" }))).toEqual(inOrder.slice(0, 10));
      expect(names(store.list({ ...configmaps, plane: "a", namespace: "a" }))).toEqual(inOrder.slice(1, 5));
      expect(names(store.list({ ...configmaps, plane: "a", namespace: "" }))).toEqual(inOrder.slice(0, 1));
      expect(names(store.list({ ...configmaps, namespace: "a" }))).toEqual([...inOrder.slice(1, 5), inOrder[10]]);
      expect(names(store.list({ resource: "secrets" }))).toEqual([]);
      for (const [at, after] of order.entries()) {
        expect(names(store.list(configmaps, { after }))).toEqual(inOrder.slice(at + 1));
      }
      const gone = key("b-0", "a", "a");
      expect(names(store.list({ ...configmaps, plane: "a", namespace: "a" }, { after: gone }))).toEqual(
        inOrder.slice(3, 5),
      );
    });

    it("counts objects by scope, and drops empty scopes", async () => {
      for (const each of [key("a"), key("b"), key("a", "other"), key("a", "default", "p")]) await put(each);
      await put(key("a"));
      const counts = () => [
        store.count(configmaps),
        store.count({ ...configmaps, plane: "root" }),
        store.count({ ...configmaps, plane: "root", namespace: "default" }),
        store.count({ ...configmaps, namespace: "default" }),
        store.count({ ...configmaps, plane: "p" }),
        store.count({ resource: "secrets" }),
      ];
      expect(counts()).toEqual([4, 3, 2, 3, 1, 0]);
      await remove(key("a", "default", "p"));
      expect(counts()).toEqual([3, 3, 2, 2, 0, 0]);
    });

    it("returns a consistent list despite concurrent writes", async () => {
      for (let at = 0; at < 30; at += 1) await put(key(`a-${at + 10}`));
      const expected = names(store.list(configmaps));
      const listed = store.list(configmaps)[Symbol.iterator]();
      const seen: string[] = [];
      for (let at = 0; at < 30; at += 1) {
        seen.push(...names([listed.next().value as StoredObject]));
        await (at % 2 === 0 ? remove(key(`a-${39 - at}`)) : put(key(`b-${at}`)));
      }
      expect(seen).toEqual(expected);
      expect(listed.next().done).toBe(true);
    });

    it("lists at older revisions", async () => {
      const states: [number, string[]][] = [[store.revision, []]];
      const listing = () => [...store.list(configmaps)].map(({ text }) => text);
      for (const step of [
        () => put(key("b")),
        () => put(key("a"), { n: 1 }),
        () => put(key("a"), { n: 2 }),
        () => remove(key("b")),
        () => put(key("c")),
        () => remove(key("a")),
        () => put(key("a")),
      ]) {
        await step();
        states.push([store.revision, listing()]);
      }
      for (const [at, texts] of states) {
        expect([...store.list(configmaps, { at })].map(({ text }) => text)).toEqual(texts);
      }
      expect(names(store.list(configmaps, { at: 5, after: key("a") }))).toEqual([]);
      expect(names(store.list(configmaps, { at: 4, after: key("a") }))).toEqual(["root/default/b"]);
      expect(() => store.list(configmaps, { at: store.revision + 1 })).toThrow(RangeError);
      expect(() => store.list(configmaps, { at: 0 })).toThrow(RevisionCompacted);
    });

    it("replays history to a watch since a revision, then sends new events", async () => {
      await put(key("a"), { n: 1 });
      const from = store.revision;
      await put(key("a"), { n: 2 });
      await put(key("b", "other"));
      const all = watched(from);
      const later = watched(store.revision + 1);
      const some = watched(from, { ...configmaps, plane: "root", namespace: "default" });
      const elsewhere = watched(from, { ...configmaps, plane: "p" });
      expect(summary(all)).toEqual(["modified a 3", "added b 4"]);
      await put(key("c"));
      await remove(key("a"));
      await put(key("a", "default", "p"));
      expect(summary(all).slice(2)).toEqual(["added c 5", "deleted a 6", "added a 7"]);
      expect(summary(some)).toEqual(["modified a 3", "added c 5", "deleted a 6"]);
      expect(summary(elsewhere)).toEqual(["added a 7"]);
      expect(summary(later)).toEqual(["deleted a 6", "added a 7"]);
      expect(all[0]?.previous?.object).toMatchObject({ data: { n: 1 } });
      expect(all[3]?.previous?.revision).toBe(3);
      expect(all[1]?.previous).toBeUndefined();
    });

    it("tolerates observers that stop themselves and others, watch again and fail, during a notification", async () => {
      const errors: unknown[] = [];
      await restart({ report: (error) => errors.push(error) });
      const observed: string[] = [];
      const stops: (() => void)[] = [];
      const listen = (name: string, act: () => void) =>
        store.watch(configmaps, store.revision, ({ revision }) => {
          observed.push(`${name} ${revision}`);
          act();
        });
      stops.push(listen("stops itself", () => stops[0]?.()));
      stops.push(listen("stops the next", () => stops[2]?.()));
      stops.push(listen("is stopped", () => undefined));
      let isWatching = false;
      listen("watches anew", () => {
        if (isWatching) return;
        isWatching = true;
        store.watch(configmaps, store.revision - 1, ({ revision }) => observed.push(`new ${revision}`));
      });
      listen("fails", () => {
        throw new Error("a listener's mistake");
      });
      listen("goes on", () => undefined);
      await put(key("a"));
      expect(observed.sort()).toEqual([
        "fails 2",
        "goes on 2",
        "new 2",
        "stops itself 2",
        "stops the next 2",
        "watches anew 2",
      ]);
      expect(errors).toEqual([new Error("a listener's mistake")]);
      observed.length = 0;
      await put(key("a"));
      expect(observed.sort()).toEqual(["goes on 3", "new 3", "stops the next 3", "watches anew 3"]);
    });

    it("lists the resources that have objects, and reports changes of any of them", async () => {
      const errors: unknown[] = [];
      await restart({ report: (error) => errors.push(error) });
      await put(key("before"));
      const changes: Change[] = [];
      const stop = store.watchAll((change) => changes.push(change));
      store.watchAll(() => {
        throw new Error("no");
      });
      await put({ ...key("s"), resource: "secrets" });
      expect([...store.resources()].sort()).toEqual(["configmaps", "secrets"]);
      await remove(key("before"));
      expect(store.resources()).toEqual(["secrets"]);
      stop();
      await put(key("after"));
      expect(summary(changes)).toEqual(["added s 3", "deleted before 4"]);
      expect(errors).toHaveLength(1);
    });

    it("drops an observer that fails while history is replayed", async () => {
      const errors: unknown[] = [];
      await restart({ report: (error) => errors.push(error) });
      const from = store.revision;
      await put(key("a"));
      await put(key("b"));
      let calls = 0;
      const stop = store.watch(configmaps, from, () => {
        calls += 1;
        throw new Error("no");
      });
      await put(key("c"));
      stop();
      expect([calls, errors.length]).toEqual([1, 1]);
    });

    it("keeps objects and history over a restart", async () => {
      await put(key("a"), { n: 1 });
      const from = store.revision;
      await put(key("a"), { n: 2 });
      await put(key("b", "", "p"));
      await remove(key("b", "", "p"));
      const before = [...store.list(configmaps)].map(({ text }) => text);
      await restart();
      expect([store.revision, store.oldestRevision]).toEqual([5, 1]);
      expect([...store.list(configmaps)].map(({ text }) => text)).toEqual(before);
      expect(summary(watched(from))).toEqual(["modified a 3", "added b 4", "deleted b 5"]);
      expect(names(store.list(configmaps, { at: 4 }))).toEqual(["p//b", "root/default/a"]);
      expect((await put(key("c"))).revision).toBe(6);
    });

    it("never reuses a revision, even when the latest record is compacted away", async () => {
      await put(key("a"));
      await put(key("b"));
      await remove(key("b"));
      clock.advance(10 * 60_000);
      expect(store.oldestRevision).toBe(store.revision);
      await restart();
      expect([store.revision, store.oldestRevision]).toEqual([4, 4]);
      expect(names(store.list(configmaps))).toEqual(["root/default/a"]);
      expect((await put(key("b"))).revision).toBe(5);
    });

    it("compacts history by age", async () => {
      await put(key("a"));
      clock.advance(4 * 60_000);
      await put(key("a"));
      clock.advance(90_000);
      expect(store.oldestRevision).toBe(2);
      expect(() => store.watch(configmaps, 1, () => undefined)).toThrow(RevisionCompacted);
      expect(() => store.list(configmaps, { at: 1 })).toThrow(
        new RevisionCompacted("history begins at revision 2; 1 is older"),
      );
      expect(summary(watched(2))).toEqual(["modified a 3"]);
      clock.advance(5 * 60_000);
      expect(store.oldestRevision).toBe(3);
      await restart();
      expect(store.oldestRevision).toBe(3);
      expect(clock.waiting).toBe(0);
    });

    const bounds: Record<string, [limits: Partial<StoreLimits>, kept: number]> = {
      count: [{ historyCount: 5 }, 5],
      size: [{ historyChars: 6 * 2 * 150 }, 6],
    };
    for (const [bound, [limits, kept]] of Object.entries(bounds)) {
      it(`compacts history by ${bound}, also after a restart`, async () => {
        await restart({ limits: { ...limits, compactionCount: 3 } });
        const data = { text: "x".repeat(150 - configMapChars) };
        for (let at = 0; at < 20; at += 1) await put(key("a"), data);
        expect(store.revision - store.oldestRevision).toBe(kept);
        expect(watched(store.oldestRevision)).toHaveLength(kept);
        await restart({ limits });
        expect(store.revision - store.oldestRevision).toBe(kept);
        expect(watched(store.oldestRevision)).toHaveLength(kept);
      });
    }

    for (const [limits, limit] of [
      [{ parsedCount: 6 }, "many"],
      [{ parsedChars: 900 }, "large"],
    ] as const) {
      it(`caches the objects of the latest versions, and evicts them when there are too ${limit} of them`, async () => {
        await restart({ limits });
        const stored = await put(key("a"), { n: 1 });
        const { object } = stored;
        await put(key("b"));
        expect(store.get(key("a"))?.object).toBe(object);
        const data = { text: "x".repeat(200) };
        const others = await Promise.all([..."cdefghijklmn"].map((name) => put(key(name), data)));
        expect(stored.object).not.toBe(object);
        expect(stored.object).toEqual(object);
        expect(stored.object).toBe(stored.object);
        const read = others.map((other) => ({ other, was: other.object })).reverse();
        const held = read.filter(({ other, was }) => other.object === was).length;
        expect(held).toBeGreaterThan(0);
        expect(held).toBeLessThanOrEqual(6);
      });
    }

    it("caches the objects of latest versions longer than those of older versions", async () => {
      await restart({ limits: { parsedCount: 3 } });
      const { object } = await put(key("a"), { n: 1 });
      for (let n = 0; n < 10; n += 1) await put(key("b"), { n });
      expect(store.get(key("a"))?.object).toBe(object);
    });

    it("keeps any JSON exactly", async () => {
      const data = JSON.parse(
        '{"__proto__":{"a":1},"text":"\\u0000\\ud800 \\u2028 é 😀 \\" \\\\","n":-1.5e-7}',
      ) as JsonObject;
      const integers = { most: 9223372036854775807n, least: -9223372036854775808n };
      await put(key("a"), data);
      await put(key("b"), integers);
      await restart();
      expect(store.get(key("a"))?.object["data"]).toEqual(data);
      expect(Object.hasOwn(store.get(key("a"))?.object["data"] as object, "__proto__")).toBe(true);
      expect(store.get(key("b"))?.object["data"]).toEqual(integers);
    });

    it("sets the resourceVersion, overriding that of the object", async () => {
      for (const metadata of [{ resourceVersion: "77", uid: "u" }, {}, null, "text"]) {
        const before = store.get(key("a"))?.revision ?? 0;
        await store.put(key("a"), before, { metadata });
        expect(store.get(key("a"))?.object.metadata).toMatchObject({
          resourceVersion: String(before === 0 ? 2 : before + 1),
        });
      }
    });

    const badKeys: Record<string, ObjectKey> = {
      "without a name": key(""),
      "without a resource": { ...key("a"), resource: "" },
      "with a NUL": key("a\0b"),
      "with a lone surrogate": key("a\ud800"),
      "too long": key("x".repeat(5_000)),
    };
    for (const [what, bad] of Object.entries(badKeys)) {
      it(`rejects a key ${what}`, async () => {
        await expect(store.put(bad, 0, {})).rejects.toThrow(TypeError);
        expect(store.revision).toBe(1);
      });
    }

    it("accepts no writes once closed, finishes those in flight, and still reads", async () => {
      const written = store.put(key("a"), 0, configMap("a"));
      const closed = Promise.all([store.close(), store.close()]);
      await expect(store.put(key("b"), 0, configMap("b"))).rejects.toThrow(
        new StorageUnavailable("the store is closed"),
      );
      expect((await written).ok).toBe(true);
      await closed;
      await expect(store.remove(key("a"), 2, {})).rejects.toThrow(StorageUnavailable);
      expect(names(store.list(configmaps))).toEqual(["root/default/a"]);
    });

    it("is quiet when no write of the object is in flight", async () => {
      const written = put(key("a"));
      expect(store.get(key("a"))).toBeUndefined();
      await store.writesSettled(key("a"));
      expect(store.get(key("a"))?.revision).toBe(2);
      await store.writesSettled(key("b"));
      await written;
    });
  });
}

const configMapChars = JSON.stringify({
  ...configMap("a", { text: "" }),
  metadata: { name: "a", resourceVersion: "10" },
}).length;
