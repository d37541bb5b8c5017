import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FakeClock } from "../../protocol/fake-clock.ts";
import type { QueueObserver } from "./queue-observer.ts";
import { type ReconcileResult, reconciled, requeueAfter, WorkQueue, type WorkQueueLimits } from "./work-queue.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue of strings whose first letter is their lane, with work that the test finishes. */
function queueOf(limits: Partial<WorkQueueLimits> = {}, observer?: QueueObserver) {
  const clock = new FakeClock();
  const started: string[] = [];
  const reported: string[] = [];
  const open = new Map<string, { resolve(outcome: ReconcileResult): void; reject(error: Error): void }>();
  const queue = new WorkQueue<string>({
    reconcile: (key) => {
      if (open.has(key)) throw new Error(`${key} is being worked on twice`);
      started.push(key);
      return new Promise<ReconcileResult>((resolve, reject) => open.set(key, { resolve, reject })).finally(() =>
        open.delete(key),
      );
    },
    idOf: (key) => key,
    laneOf: (key) => key.slice(0, 1),
    clock,
    random: { fraction: () => 0 },
    report: (error, key, failures) => reported.push(`${key} ${failures}: ${(error as Error).message}`),
    limits,
    observer,
  });
  const finish = async (key: string, outcome: ReconcileResult | Error = reconciled): Promise<void> => {
    const work = open.get(key);
    if (outcome instanceof Error) work?.reject(outcome);
    else work?.resolve(outcome);
    await turn();
  };
  return { queue, clock, started, reported, open, finish };
}

/** Counts as the metrics do. */
function counted() {
  const seen = { depth: 0, added: 0, retried: 0, waitedMs: [] as number[], workedMs: [] as number[] };
  const observer: QueueObserver = {
    onDepthChanged: (by) => {
      seen.depth += by;
    },
    onAdded: () => {
      seen.added += 1;
    },
    onRetried: () => {
      seen.retried += 1;
    },
    onStarted: (ms) => seen.waitedMs.push(ms),
    onFinished: (ms) => seen.workedMs.push(ms),
  };
  return { seen, observer };
}

describe("an observed work queue", () => {
  it("reports queue depth, queue duration and work duration", async () => {
    const { seen, observer } = counted();
    const { queue, clock, finish } = queueOf({ concurrency: 1 }, observer);
    for (const key of ["a", "b", "b"]) queue.add(key);
    expect(seen).toMatchObject({ depth: 1, added: 2, waitedMs: [0] });
    await turn();
    clock.advance(30);
    await finish("a");
    clock.advance(5);
    await finish("b");
    expect(seen).toEqual({ depth: 0, added: 2, retried: 0, waitedMs: [0, 30], workedMs: [30, 5] });
  });

  it("reports retries", async () => {
    const { seen, observer } = counted();
    const { queue, clock, finish } = queueOf({}, observer);
    queue.add("a");
    await turn();
    await finish("a", new Error("busy"));
    expect(seen).toMatchObject({ retried: 1, added: 1 });
    clock.advance(30_000);
    await turn();
    await finish("a");
    expect(seen).toMatchObject({ retried: 1, added: 2, depth: 0 });
  });

  it("settles all waiting callers when it is stopped", async () => {
    const { seen, observer } = counted();
    const { queue, finish } = queueOf({ concurrency: 1 }, observer);
    for (const key of ["a", "b", "c"]) queue.add(key);
    await turn();
    expect(seen.depth).toBe(2);
    const stopped = queue.stop();
    await finish("a");
    await stopped;
    expect(seen.depth).toBe(0);
  });
});

describe("a work queue", () => {
  it("processes a key once when it is added twice", async () => {
    const { queue, started, finish } = queueOf({ concurrency: 1 });
    for (const key of ["a", "b", "b"]) queue.add(key);
    await turn();
    await finish("a");
    await finish("b");
    expect(started).toEqual(["a", "b"]);
    expect(queue.size).toBe(0);
  });

  it("processes a key again when it is added while in progress, and never concurrently", async () => {
    const { queue, started, finish } = queueOf();
    queue.add("a");
    await turn();
    queue.add("a");
    queue.add("a");
    await turn();
    expect(started).toEqual(["a"]);
    await finish("a");
    expect(started).toEqual(["a", "a"]);
    await finish("a");
    expect(queue.size).toBe(0);
  });

  it("processes a limited number of keys concurrently", async () => {
    const { queue, started, finish } = queueOf({ concurrency: 2 });
    for (const key of ["a", "b", "c"]) queue.add(key);
    await turn();
    expect(started).toEqual(["a", "b"]);
    await finish("a");
    expect(started).toEqual(["a", "b", "c"]);
  });

  it("alternates between lanes", async () => {
    const { queue, started, finish } = queueOf({ concurrency: 1 });
    for (const key of ["x1", "x2", "x3", "y1", "z1"]) queue.add(key);
    for (let at = 0; at < 5; at += 1) {
      await turn();
      await finish(started.at(-1) ?? "");
    }
    expect(started).toEqual(["x1", "x2", "y1", "z1", "x3"]);
  });

  it("retries with growing backoff, and resets the failures of a key that succeeds", async () => {
    const { queue, clock, started, reported, finish } = queueOf({ backoff: { minMs: 100, maxMs: 250 } });
    queue.add("a");
    const delays: number[] = [];
    for (let at = 0; at < 4; at += 1) {
      await turn();
      await finish("a", new Error("no"));
      const before = clock.now();
      while (started.length === at + 1) {
        clock.advance(5);
        await turn();
      }
      delays.push(clock.now() - before);
    }
    expect(delays).toEqual([100, 125, 125, 125]);
    expect(reported).toEqual(["a 1: no", "a 2: no", "a 3: no", "a 4: no"]);
    await finish("a");
    queue.add("a");
    await turn();
    await finish("a", new Error("no"));
    expect(reported.at(-1)).toBe("a 1: no");
    await queue.stop();
    expect(clock.waiting).toBe(0);
  });

  it("rate-limits the retries of all keys together", async () => {
    const { queue, clock, started, finish } = queueOf({
      retries: { burst: 1, perSecond: 1 },
      backoff: { minMs: 1, maxMs: 1 },
    });
    const keys = ["a", "b", "c"];
    for (const key of keys) queue.add(key);
    await turn();
    for (const key of keys) await finish(key, new Error("no"));
    clock.advance(10);
    await turn();
    expect(started.slice(3)).toEqual(["a"]);
    clock.advance(2_000);
    await turn();
    expect(started.slice(3)).toEqual(["a", "b", "c"]);
    for (const key of keys) await finish(key);
    await queue.stop();
  });

  it("requeues a key when work requests it, at the earliest requested time", async () => {
    const { queue, clock, started, finish } = queueOf();
    queue.add("a");
    await turn();
    await finish("a", requeueAfter(5_000));
    queue.addAfter("a", 1_000);
    queue.addAfter("a", 9_000);
    clock.advance(999);
    await turn();
    expect(started).toEqual(["a"]);
    clock.advance(1);
    await turn();
    expect(started).toEqual(["a", "a"]);
    await finish("a");
    clock.advance(20_000);
    await turn();
    expect(started).toEqual(["a", "a"]);
  });

  it("forgets a delayed key and its failures, but not a queued or processing one", async () => {
    const { queue, clock, started, reported, finish } = queueOf({ concurrency: 1 });
    queue.add("a");
    queue.add("b");
    queue.addAfter("c", 1_000);
    await turn();
    for (const key of ["a", "b", "c"]) queue.cancelDelayed(key);
    await finish("a", new Error("no"));
    queue.cancelDelayed("a");
    await finish("b");
    clock.advance(60_000);
    await turn();
    expect([started, queue.size, clock.waiting]).toEqual([["a", "b"], 0, 0]);
    queue.add("a");
    await turn();
    await finish("a", new Error("no"));
    expect(reported).toEqual(["a 1: no", "a 1: no"]);
    await queue.stop();
  });

  it("drops keys beyond its limit, and reports it", async () => {
    const { queue, reported } = queueOf({ concurrency: 1, keysMax: 2 });
    for (const key of ["a", "b", "c", "d"]) queue.add(key);
    queue.addAfter("e", 10);
    expect(reported).toEqual(["d 0: more than 2 keys are queued; this one is dropped"]);
    await turn();
    void queue.stop();
  });

  it("finishes work in progress when it is stopped, and accepts no more keys", async () => {
    const { queue, clock, started, finish } = queueOf({ concurrency: 1 });
    queue.add("a");
    queue.add("b");
    queue.addAfter("c", 10);
    await turn();
    let isStopped = false;
    const stopping = queue.stop().then(() => {
      isStopped = true;
    });
    queue.add("d");
    await turn();
    expect(isStopped).toBe(false);
    await finish("a");
    await stopping;
    expect(started).toEqual(["a"]);
    expect(clock.waiting).toBe(0);
  });

  it("stops waiting for unfinished work after its grace period", async () => {
    const { queue, clock } = queueOf({ stopMsMax: 1_000 });
    queue.add("a");
    await turn();
    const stopping = queue.stop();
    clock.advance(1_000);
    await stopping;
  });

  it("aborts work immediately when it is stopped without a grace period", async () => {
    const clock = new FakeClock();
    let seen: AbortSignal | undefined;
    const queue = new WorkQueue<string>({
      reconcile: (_key, signal) => {
        seen = signal;
        return new Promise(() => undefined);
      },
      idOf: (key) => key,
      clock,
      random: { fraction: () => 0 },
      report: () => undefined,
      limits: { stopMsMax: 0 },
    });
    queue.add("a");
    await turn();
    const stopping = queue.stop();
    expect(seen?.aborted).toBe(true);
    await stopping;
    expect(clock.waiting).toBe(0);
  });

  it("loses no key under any sequence of events", async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("add" as const), key: fc.constantFrom("a1", "a2", "b1", "b2") }),
      fc.record({ do: fc.constant("after" as const), key: fc.constantFrom("a1", "a2", "b1", "b2") }),
      fc.record({ do: fc.constantFrom("finish", "fail", "again"), key: fc.constantFrom("a1", "a2", "b1", "b2") }),
      fc.record({ do: fc.constant("wait" as const), key: fc.constant("") }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { queue, clock, started, open, finish } = queueOf({ concurrency: 2 });
        /** How often each key had been started when it was last added. */
        const startsBefore = new Map<string, number>();
        const startsOf = (key: string): number => started.filter((each) => each === key).length;
        for (const { do: what, key } of steps) {
          if (what === "add") queue.add(key);
          else if (what === "after") queue.addAfter(key, 500);
          else if (what === "finish") await finish(key);
          else if (what === "fail") await finish(key, new Error("no"));
          else if (what === "again") await finish(key, requeueAfter(100));
          else clock.advance(300);
          if (what === "add" || what === "after") startsBefore.set(key, startsOf(key));
          await turn();
        }
        for (let rounds = 0; rounds < 40; rounds += 1) {
          for (const key of [...open.keys()]) await finish(key);
          clock.advance(1_000);
          await turn();
        }
        for (const [key, before] of startsBefore) expect(startsOf(key)).toBeGreaterThan(before);
        expect(queue.size).toBe(0);
        await queue.stop();
      }),
      { numRuns: 100 },
    );
  });
});
