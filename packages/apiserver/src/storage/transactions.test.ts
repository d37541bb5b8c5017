import { FakeClock } from "@milo-quota/kubernetes/protocol/fake-clock.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BlockingLog } from "../../test/blocking-log.ts";
import { LogFull } from "./log/record-log.ts";
import type { ObjectKey } from "./object-key.ts";
import { type Change, type ObjectStore, RevisionCompacted, StorageUnavailable } from "./object-store.ts";
import { openStore } from "./store.ts";
import type { StoreLimits } from "./store-limits.ts";
import type { BatchEnd, BatchRenderer, Excluded, Ticket, TransactionResult, Write } from "./transaction.ts";

function key(name: string, resource = "configmaps"): ObjectKey {
  return { plane: "root", resource, namespace: "default", name };
}

function write(name: string, expected = 0, resource = "configmaps"): Write {
  return { key: key(name, resource), expected, object: { metadata: { name }, from: expected }, deleted: false };
}

function removal(name: string, expected: number): Write {
  return { ...write(name, expected), deleted: true };
}

/** Counts the tickets of all batches in one object, without excluded ones. */
class Counter implements BatchRenderer {
  readonly calls: string[][] = [];
  readonly ends: BatchEnd["outcome"][] = [];
  readonly excluded = new Map<Ticket, Excluded>();
  #revision = 0;
  #count = 0;

  ticket(name: string): Ticket & { readonly name: string } {
    return { renderer: this, name };
  }

  render(tickets: readonly Ticket[], isCurrent: (key: ObjectKey, revision: number) => boolean) {
    this.calls.push(tickets.map((ticket) => (ticket as Ticket & { readonly name: string }).name));
    const taken = tickets.filter((ticket) => !this.excluded.has(ticket));
    expect(isCurrent(key("count", "counts"), this.#revision)).toBe(true);
    expect(isCurrent(key("count", "counts"), this.#revision + 1)).toBe(false);
    const count = this.#count + taken.length;
    const object = { metadata: { name: "count" }, count };
    const writes = [{ key: key("count", "counts"), expected: this.#revision, object, deleted: false }];
    const onEnded = (end: BatchEnd): void => {
      this.ends.push(end.outcome);
      if (end.outcome !== "stored") return;
      this.#count = count;
      this.#revision = end.stored[0]?.revision ?? 0;
    };
    return { writes, excluded: this.excluded, onEnded };
  }
}

describe("transactions", () => {
  let log: BlockingLog;
  let clock: FakeClock;
  let store: ObjectStore;
  let observed: string[];

  async function open(limits: Partial<StoreLimits> = {}): Promise<void> {
    store = await openStore(log, clock, { limits });
    observed = [];
    store.watchAll((change) => observed.push(lineOf(change)));
  }

  function lineOf({ type, revision, stored }: Change): string {
    return `${type} ${stored.key.name} ${revision}`;
  }

  async function pass(...revisions: number[]): Promise<void> {
    const call = await log.next();
    expect(call.revisions).toEqual(revisions);
    await call.pass();
  }

  function outcomes(results: readonly TransactionResult[]): string[] {
    return results.map((result) => (result.outcome === "conflict" ? `conflict at ${result.at}` : result.outcome));
  }

  beforeEach(async () => {
    log = new BlockingLog();
    clock = new FakeClock();
    await open();
  });

  afterEach(async () => {
    expect(await log.isIdle()).toBe(true);
    await store.close();
  });

  it("have one row and one revision for each write, in the order given", async () => {
    const done = store.transact([write("b"), write("a"), write("c", 0, "secrets")]);
    await pass(2, 3, 4);
    const result = await done;
    expect(result.outcome === "stored" && result.stored.map(({ key: { name }, revision }) => [name, revision])).toEqual(
      [
        ["b", 2],
        ["a", 3],
        ["c", 4],
      ],
    );
    expect(store.get(key("a"))?.object.metadata.resourceVersion).toBe("3");
    expect(observed).toEqual(["added b 2", "added a 3", "added c 4"]);
  });

  it("are completely visible before the first watch event", async () => {
    const seen: unknown[] = [];
    store.watchAll(() => seen.push([store.revision, store.count({ resource: "configmaps" })]));
    const done = store.transact([write("a"), write("b"), write("c")]);
    await pass(2, 3, 4);
    await done;
    expect(seen).toEqual([
      [4, 3],
      [4, 3],
      [4, 3],
    ]);
  });

  it("write nothing when one of their preconditions fails", async () => {
    const first = store.transact([write("a")]);
    await pass(2);
    await first;
    const results = await Promise.all([
      store.transact([write("b"), write("a")]),
      store.transact([write("c"), removal("a", 1), write("d")]),
    ]);
    expect(outcomes(results)).toEqual(["conflict at 1", "conflict at 1"]);
    expect(store.count({ resource: "configmaps" })).toBe(1);
  });

  it("of the same object are sequenced, and the later one conflicts", async () => {
    const one = store.transact([write("a"), write("b")]);
    const two = store.transact([write("c"), write("b")]);
    const three = store.transact([write("c")]); // It waits for the second, although the first leaves space.
    await pass(2, 3);
    await pass(4);
    expect(outcomes(await Promise.all([one, two, three]))).toEqual(["stored", "conflict at 1", "stored"]);
  });

  it("are never split across batches", async () => {
    await store.close();
    await open({ batchCount: 3 });
    const all = [
      store.transact([write("a")]),
      store.transact([write("b"), write("c"), write("d")]),
      store.transact([write("e"), write("f"), write("g"), write("h"), write("i")]),
      store.transact([write("j")]),
    ];
    await pass(2);
    await pass(3, 4, 5);
    await pass(6, 7, 8, 9, 10);
    await pass(11);
    expect(outcomes(await Promise.all(all))).toEqual(["stored", "stored", "stored", "stored"]);
  });

  it("are shown completely by every list, also at a revision inside them, and after a restart", async () => {
    const first = store.transact([write("a"), write("b"), write("c")]);
    await pass(2, 3, 4);
    await first;
    const second = store.transact([removal("a", 2), write("b", 3)]);
    await pass(5, 6);
    await second;
    const check = (): void => {
      expect([1, 2, 3, 4, 5, 6].map((revision) => store.wholeRevision(revision))).toEqual([1, 4, 4, 4, 6, 6]);
      expect([...store.list({ resource: "configmaps" }, { at: store.wholeRevision(2) })]).toHaveLength(3);
    };
    check();
    await store.close();
    await open();
    check();
    const after: string[] = [];
    store.watch({ resource: "configmaps" }, 2, (change) => after.push(lineOf(change)));
    expect(after).toEqual(["added b 3", "added c 4", "deleted a 5", "modified b 6"]);
  });

  it("are compacted as a whole, also after a restart: history does not begin inside one", async () => {
    await store.close();
    await open({ historyCount: 2 });
    const check = (): void => {
      const watchFrom = (revision: number) => () => store.watch({ resource: "configmaps" }, revision, () => undefined);
      expect(watchFrom(3)).toThrow(RevisionCompacted);
      expect(watchFrom(4)).not.toThrow();
    };
    const done = store.transact([write("a"), write("b"), write("c")]);
    await pass(2, 3, 4);
    await done;
    check();
    await store.close();
    await open({ historyCount: 2 });
    check();
  });

  it("that do not fit on the disk write nothing", async () => {
    const done = store.transact([write("a"), write("b")]);
    const rejected = expect(done).rejects.toThrow(StorageUnavailable);
    await (await log.next()).fail(new LogFull("no space left"));
    await rejected;
    expect([store.count({ resource: "configmaps" }), store.revision]).toEqual([0, 1]);
    const again = store.transact([write("a"), write("b")]);
    await pass(2, 3);
    expect((await again).outcome).toBe("stored");
  });

  it("with tickets share the writes of their renderer, ordered between removals and other writes", async () => {
    const counter = new Counter();
    const first = store.transact([write("old")]);
    await pass(2);
    await first;
    const all = [
      store.transact([write("claim-1"), write("a")], { ticket: counter.ticket("one") }),
      store.transact([write("plain")]),
      store.transact([removal("old", 2)], { ticket: counter.ticket("two"), isBeforeRendered: true }),
      store.transact([write("claim-3"), write("b")], { ticket: counter.ticket("three") }),
    ];
    await pass(3, 4, 5, 6, 7, 8, 9);
    expect(outcomes(await Promise.all(all))).toEqual(["stored", "stored", "stored", "stored"]);
    expect(observed.slice(1)).toEqual([
      "added plain 3",
      "deleted old 4",
      "added count 5",
      "added claim-1 6",
      "added a 7",
      "added claim-3 8",
      "added b 9",
    ]);
    expect(counter.calls).toEqual([["one", "two", "three"]]);
    expect([3, 4, 5, 6, 7, 8, 9].map((revision) => store.wholeRevision(revision))).toEqual([3, 9, 9, 9, 9, 9, 9]);
    expect(store.get(key("count", "counts"))?.object["count"]).toBe(3);
  });

  it("excluded by their renderer are not written, and exclude no others", async () => {
    const counter = new Counter();
    const [one, two, three] = [counter.ticket("one"), counter.ticket("two"), counter.ticket("three")];
    const until = Promise.resolve();
    counter.excluded.set(one, { outcome: "declined" }).set(two, { outcome: "busy", until });
    const all = [one, two, three].map((ticket) => store.transact([write(ticket.name)], { ticket }));
    await pass(2, 3);
    const results = await Promise.all(all);
    expect(results.slice(0, 2)).toEqual([{ outcome: "declined" }, { outcome: "busy", until }]);
    expect(results[2]?.outcome).toBe("stored");
    expect(observed).toEqual(["added count 2", "added three 3"]);
  });

  it("continue when their renderer excludes all of them: waiting transactions run next", async () => {
    const counter = new Counter();
    const ticket = counter.ticket("one");
    counter.excluded.set(ticket, { outcome: "declined" });
    const left = store.transact([write("a")], { ticket });
    const behind = store.transact([write("a")]);
    expect((await left).outcome).toBe("declined");
    await pass(2);
    expect((await behind).outcome).toBe("stored");
    expect(counter.ends).toEqual([]);
  });

  it("report the end of a batch to its renderer, and are counted only when it was stored", async () => {
    const counter = new Counter();
    const lost = store.transact([write("a")], { ticket: counter.ticket("lost") });
    const rejected = expect(lost).rejects.toThrow(StorageUnavailable);
    await (await log.next()).fail(new LogFull("no space left"));
    await rejected;
    const kept = store.transact([write("b")], { ticket: counter.ticket("kept") });
    await pass(2, 3);
    await kept;
    expect(store.get(key("count", "counts"))?.object["count"]).toBe(1);
    const doubtful = store.transact([write("c")], { ticket: counter.ticket("doubtful") });
    const doubted = expect(doubtful).rejects.toThrow(/may be lost/);
    await (await log.next()).fail(new Error("input/output error"));
    await doubted;
    expect(counter.ends).toEqual(["rolled back", "stored", "unknown"]);
  });

  it("fail with their failing renderer, without affecting others", async () => {
    const broken: BatchRenderer = {
      render: () => {
        throw new Error("mistake");
      },
    };
    const failed = expect(store.transact([write("a")], { ticket: { renderer: broken } })).rejects.toThrow("mistake");
    const other = store.transact([write("b")]);
    await pass(2);
    await failed;
    expect((await other).outcome).toBe("stored");
  });

  it("are quiet after they end, for each of their objects", async () => {
    const done = store.transact([write("a"), write("b")]);
    let isQuiet = false;
    const quiet = store.writesSettled(key("b")).then(() => {
      isQuiet = true;
    });
    const call = await log.next();
    expect(isQuiet).toBe(false);
    await call.pass();
    await Promise.all([done, quiet, store.settled()]);
    expect(isQuiet).toBe(true);
  });
});
