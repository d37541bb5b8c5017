import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BlockingLog } from "../../../test/blocking-log.ts";
import type { ObjectKey } from "../object-key.ts";
import { type ObjectStore, StorageUnavailable, type WriteResult } from "../object-store.ts";
import { openStore } from "../store.ts";
import type { StoreLimits } from "../store-limits.ts";
import { LogFull } from "./record-log.ts";

const full = new LogFull("no space left");
const broken = new Error("input/output error");

function key(name: string): ObjectKey {
  return { plane: "root", resource: "configmaps", namespace: "default", name };
}

describe("writes in flight to the disk", () => {
  let log: BlockingLog;
  let clock: FakeClock;
  let store: ObjectStore;
  let observed: number[];

  async function open(limits: Partial<StoreLimits> = {}): Promise<void> {
    store = await openStore(log, clock, { limits });
    store.watch({ resource: "configmaps" }, store.revision, ({ revision }) => observed.push(revision));
  }

  function create(name: string): Promise<WriteResult> {
    return store.put(key(name), 0, {});
  }

  /** The observable state of the store: counts, revision, and watch events. */
  function seen(): unknown[] {
    return [store.count({ resource: "configmaps" }), store.revision, observed.length];
  }

  async function pass(...revisions: number[]): Promise<void> {
    const call = await log.next();
    expect(call.revisions).toEqual(revisions);
    await call.pass();
  }

  beforeEach(async () => {
    log = new BlockingLog();
    clock = new FakeClock();
    observed = [];
    await open();
  });

  afterEach(async () => {
    expect(await log.isIdle()).toBe(true);
    await store.close();
    expect(clock.waiting).toBe(0);
  });

  it("are not visible before they are durable", async () => {
    const created = create("a");
    const call = await log.next();
    expect(seen()).toEqual([0, 1, 0]);
    expect(store.get(key("a"))).toBeUndefined();
    await call.pass();
    expect(seen()).toEqual([1, 2, 1]);
    const removed = store.remove(key("a"), 2, {});
    const removal = await log.next();
    expect(seen()).toEqual([1, 2, 1]);
    await removal.pass();
    expect(seen()).toEqual([0, 3, 2]);
    expect([(await created).ok, (await removed).ok]).toEqual([true, true]);
  });

  it("are batched for the linger time of the log, also after a previous batch", async () => {
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    log.gatherWrites = turn;
    const [first, second] = [create("a"), create("b")];
    const later = second.then(turn).then(() => create("late"));
    const followers = [first, first.then(() => undefined).then(() => undefined)].map((before, at) =>
      before.then(() => create(`follower-${at}`)),
    );
    await pass(2, 3);
    await pass(4, 5);
    await pass(6);
    expect((await Promise.all([...followers, later])).map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  it("are batched while others are in flight", async () => {
    const first = [create("a"), create("b")];
    const call = await log.next();
    const second = [create("c"), create("d"), create("e")];
    await call.pass();
    expect(call.revisions).toEqual([2, 3]);
    await pass(4, 5, 6);
    expect(await Promise.all([...first, ...second])).toHaveLength(5);
    expect(observed).toEqual([2, 3, 4, 5, 6]);
  });

  it("are limited in count and size of a batch", async () => {
    await store.close();
    await open({ batchCount: 3, batchChars: 200 });
    const writes = [1, 2, 3, 4].map((at) => create(`a-${at}`));
    writes.push(store.put(key("large"), 0, { text: "x".repeat(1_000) }), create("z"));
    await pass(2, 3, 4);
    await pass(5);
    await pass(6);
    await pass(7);
    await Promise.all(writes);
  });

  it("are rejected when too many wait", async () => {
    await store.close();
    await open({ queueCount: 2 });
    const first = create("a");
    const call = await log.next();
    const waiting = [create("b"), create("c")];
    await expect(create("d")).rejects.toThrow(
      new StorageUnavailable("2 writes are already waiting for the disk; try again later"),
    );
    await call.pass();
    const later = create("d");
    await pass(3, 4);
    await pass(5);
    await Promise.all([first, ...waiting, later]);
  });

  it("answer a conflict once the conflicting write is visible", async () => {
    const winner = create("a");
    const call = await log.next();
    let answer: WriteResult | undefined;
    const loser = create("a").then((result) => {
      answer = result;
    });
    expect(await log.isIdle()).toBe(true);
    expect(answer).toBeUndefined();
    await call.pass();
    await Promise.all([winner, loser]);
    expect(answer).toEqual({ ok: false, current: store.get(key("a")) });
    expect(store.get(key("a"))?.revision).toBe(2);
  });

  it("let a create follow a deletion in flight", async () => {
    const created = create("a");
    await pass(2);
    await created;
    const removed = store.remove(key("a"), 2, {});
    const removal = await log.next();
    const again = create("a");
    await removal.pass();
    expect((await removed).ok).toBe(true);
    await pass(4);
    expect((await again).ok).toBe(true);
  });

  it("fail together when the disk is full, and succeed again once it has space", async () => {
    const batch = [create("a"), create("b")];
    const call = await log.next();
    const queued = [create("c"), create("d")];
    const behind = create("a"); // on an object with a pending write
    const failures = Promise.allSettled([...batch, ...queued, behind]);
    await call.fail(full);
    for (const failure of await failures) {
      expect(failure).toMatchObject({ status: "rejected", reason: { name: "StorageUnavailable", cause: full } });
    }
    expect(seen()).toEqual([0, 1, 0]);
    const after = create("b");
    await pass(2); // the revisions of the failed writes were never visible
    expect((await after).ok).toBe(true);
    expect(observed).toEqual([2]);
  });

  describe("while the disk is full", () => {
    const isFinalizerLess = (_: unknown, after: JsonObject): boolean => after["finalizers"] === undefined;
    let problems: (string | undefined)[];

    beforeEach(async () => {
      await store.close();
      problems = [];
      const onWriteProblem = (problem: string | undefined) => problems.push(problem);
      store = await openStore(log, clock, { isRemoval: isFinalizerLess, onWriteProblem });
      const created = ["a", "b"].map((name) => store.put(key(name), 0, { finalizers: [] }));
      await pass(2, 3);
      await Promise.all(created);
    });

    /** A create that the full disk rejects. */
    async function fill(): Promise<void> {
      log.isFull = true;
      const failed = expect(create("c")).rejects.toThrow("the disk is full");
      await (await log.next()).fail(full);
      await failed;
    }

    async function passReserved(...revisions: number[]): Promise<void> {
      const call = await log.next();
      expect([call.what, call.revisions]).toEqual(["append to reserve", revisions]);
      await call.pass();
    }

    it("only removals are stored, with the space kept for them", async () => {
      await fill();
      const others = [create("d"), store.put(key("b"), 3, { finalizers: [], more: 1 })];
      const [removed, released] = [store.remove(key("a"), 2, {}), store.put(key("b"), 3, {})];
      for (const other of others) await expect(other).rejects.toMatchObject({ isFull: true });
      await passReserved(4, 5);
      expect([(await removed).ok, (await released).ok]).toEqual([true, true]);
      expect(seen()).toEqual([1, 5, 0]);
      expect(problems).toEqual([expect.stringContaining("the disk is full")]);
      expect(store.writeProblem).toContain("the disk is full");
      expect(store.writeFailure).toBeUndefined();
    });

    it("a transaction with a removal and another write is rejected", async () => {
      await fill();
      const write = { key: key("d"), expected: 0, object: {}, deleted: false };
      const both = store.transact([{ key: key("a"), expected: 2, object: {}, deleted: true }, write]);
      await expect(both).rejects.toMatchObject({ isFull: true });
    });

    it("a removal in the batch that finds it full is stored by the next one", async () => {
      log.isFull = true;
      const others = [create("c"), create("d")];
      const removed = store.remove(key("a"), 2, {});
      const call = await log.next();
      const behind = [store.remove(key("b"), 3, {}), create("a")];
      const failed = Promise.allSettled([...others, behind[1]]);
      await call.fail(full);
      expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
      await passReserved(4, 5);
      expect([(await removed).ok, (await behind[0])?.ok]).toEqual([true, true]);
    });

    it("a removal fails as well once the space kept for it is used up", async () => {
      await fill();
      const removed = expect(store.remove(key("a"), 2, {})).rejects.toMatchObject({ isFull: true });
      await (await log.next()).fail(full);
      await removed;
      expect(store.get(key("a"))).toBeDefined();
    });

    it("the next write finds out whether there is space again", async () => {
      await fill();
      log.isFull = false;
      const created = create("c");
      await pass(4);
      expect((await created).ok).toBe(true);
      expect(problems).toEqual([expect.stringContaining("the disk is full"), undefined]);
    });

    it("it is checked for space every two seconds", async () => {
      await fill();
      const checks = log.roomChecks;
      clock.advance(2_000);
      expect(await log.isIdle()).toBe(true);
      expect([log.roomChecks, problems.length]).toEqual([checks + 1, 1]);
      log.isFull = false;
      clock.advance(2_000);
      expect(await log.isIdle()).toBe(true);
      expect([store.writeProblem, problems.length]).toEqual([undefined, 2]);
    });

    it("a restart knows it", async () => {
      await store.close();
      log.isFull = true;
      store = await openStore(log, clock, { onWriteProblem: (problem) => problems.push(problem) });
      expect(problems).toEqual([expect.stringContaining("the disk is full")]);
      await expect(create("c")).rejects.toMatchObject({ isFull: true });
      const removed = store.remove(key("a"), 2, {});
      await passReserved(4);
      await removed;
    });

    it("a failure with an unknown outcome ends all writes", async () => {
      await fill();
      const removed = expect(store.remove(key("a"), 2, {})).rejects.toThrow("no writes are accepted until a restart");
      await (await log.next()).fail(broken);
      await removed;
      expect(problems.at(-1)).toBe(store.writeFailure);
      await expect(store.remove(key("b"), 3, {})).rejects.toThrow("no writes are accepted until a restart");
    });
  });

  it("of the same object are answered in order of arrival", async () => {
    const first = create("a");
    const call = await log.next();
    const waiting = [create("a"), store.put(key("a"), 2, { second: true }), store.put(key("a"), 2, { third: true })];
    await call.pass();
    await pass(3);
    expect((await Promise.all([first, ...waiting])).map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect(store.get(key("a"))?.object["second"]).toBe(true);
  });

  it("explain what to do when the disk is full", async () => {
    const write = create("a");
    const answer = expect(write).rejects.toThrow(
      new StorageUnavailable(
        "the disk is full and nothing was written (no space left); writes resume when there is space",
      ),
    );
    await (await log.next()).fail(full);
    await answer;
  });

  it("are rejected until a restart after an uncertain write", async () => {
    const kept = create("kept");
    await pass(2);
    await kept;
    const batch = [create("a"), create("b")];
    const call = await log.next();
    const queued = create("c");
    const behind = store.put(key("a"), 0, {});
    const failures = Promise.allSettled([...batch, queued, behind]);
    await call.fail(broken);
    const message =
      "the disk failed and the latest writes may be lost (input/output error); no writes are accepted until a restart";
    for (const failure of await failures) {
      expect(failure).toMatchObject({ status: "rejected", reason: new StorageUnavailable(message) });
    }
    await expect(create("d")).rejects.toThrow(new StorageUnavailable(message));
    clock.advance(10 * 60_000);
    expect(await log.isIdle()).toBe(true);
    expect(store.get(key("kept"))?.revision).toBe(2);
    expect(store.oldestRevision).toBe(2);
    await store.close();
    await expect(create("d")).rejects.toThrow(new StorageUnavailable(message));
  });

  it("continue while the disk has no space for compaction, which is retried", async () => {
    const created = create("a");
    await pass(2);
    const updated = store.put(key("a"), (await created).ok ? 2 : 0, {});
    await pass(3);
    await updated;
    clock.advance(5 * 60_000);
    await (await log.next()).fail(full);
    expect(store.oldestRevision).toBe(3);
    const other = create("b");
    await pass(4);
    await other;
    expect(await log.isIdle()).toBe(true);
    clock.advance(30_000);
    const call = await log.next();
    expect([call.what, call.revisions]).toEqual(["compact", [2]]);
    await call.pass();
  });

  it("are rejected after another compaction failure", async () => {
    const created = create("a");
    await pass(2);
    await created;
    clock.advance(5 * 60_000);
    const call = await log.next();
    const queued = create("b");
    const rejected = expect(queued).rejects.toThrow(StorageUnavailable);
    await call.fail(broken);
    await rejected;
    await expect(create("c")).rejects.toThrow(StorageUnavailable);
  });

  it("are delayed only briefly by compaction, which runs in steps between them", async () => {
    await store.close();
    await open({ compactionCount: 2, historyCount: 1 });
    const calls: string[] = [];
    const writes: Promise<WriteResult>[] = [];
    for (let at = 0; at < 8; at += 1) {
      writes.push(create(`a-${at}`));
      for (let call = await log.next(); ; call = await log.next()) {
        calls.push(call.what);
        await call.pass();
        if (call.what === "append") break;
      }
    }
    await Promise.all(writes);
    expect(calls.join(" ")).toBe("append append append compact append append compact append append compact append");
  });
});
