import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FaultySource } from "../../../test/faulty-source.ts";
import { failure, resourceExpired } from "../../protocol/api-status.ts";
import { FakeClock } from "../../protocol/fake-clock.ts";
import type { JsonObject, JsonValue } from "../../protocol/json-value.ts";
import { Informer } from "./informer.ts";

type Step =
  | { readonly do: "write" | "remove"; readonly name: string; readonly value: string }
  | { readonly do: "compact" | "bookmark" | "late" | "answer" | "refresh" | "expire" | "fail" | "die" }
  | { readonly do: "deliver"; readonly count: number; readonly twice: boolean }
  | { readonly do: "cut"; readonly how: "in order" | "broken" }
  | { readonly do: "fault"; readonly fault: "cut" | "busy" | "gone" | "broken" | "delay" }
  | { readonly do: "wait"; readonly ms: number };

const names = fc.constantFrom("a", "b", "c", "d", "e");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("write" as const), name: names, value: fc.string({ maxLength: 2 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), name: names, value: fc.constant("") }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("deliver" as const), count: fc.nat(6), twice: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cut" as const), how: fc.constantFrom("in order", "broken") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      fault: fc.constantFrom("cut", "busy", "gone", "broken", "delay"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(50, 1_000, 40_000, 200_000) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("compact", "bookmark", "late", "answer", "refresh", "expire", "fail", "die"),
    }),
  },
);

interface Thing {
  readonly metadata: { readonly uid: string };
  readonly value: string;
}

/** Watches a source, and rebuilds its state from notifications only. */
function observed(source: FaultySource, clock: FakeClock, fraction: () => number) {
  const mirror = new Map<string, string>();
  const lies: string[] = [];
  const gone = new Set<string | undefined>();
  const informer = new Informer<Thing, string>({
    source,
    parse: (value: JsonValue) => ({ ok: true, value: value as unknown as Thing }),
    transform: ({ value, metadata }) => `${metadata.uid}=${value}`,
    clock,
    random: { fraction },
    report: () => undefined,
  });
  const expectBefore = (name: string, before: string | undefined): void => {
    if (mirror.get(name) !== before) lies.push(`${name} was ${mirror.get(name)}, not ${before}`);
  };
  informer.subscribe({
    onAdd: ({ name }, now) => {
      expectBefore(name, undefined);
      if (gone.has(now.split("=")[0])) lies.push(`${name} came back from the dead`);
      mirror.set(name, now);
    },
    onUpdate: ({ name }, before, now) => {
      expectBefore(name, before);
      if (before.split("=")[0] !== now.split("=")[0]) lies.push(`${name} is another, and not one that changed`);
      mirror.set(name, now);
    },
    onDelete: ({ name }, before) => {
      expectBefore(name, before);
      gone.add(before.split("=")[0]);
      mirror.delete(name);
    },
  });
  return { informer, mirror, lies };
}

function act(source: FaultySource, informer: Informer<Thing, string>, clock: FakeClock, taken: Step): unknown {
  switch (taken.do) {
    case "write":
      return source.write(taken.name, taken.value);
    case "remove":
      return source.remove(taken.name);
    case "deliver":
      return source.deliver(taken.count, taken.twice);
    case "cut":
      return source.cut(taken.how);
    case "fault":
      return source.plannedFaults.push(taken.fault);
    case "wait":
      return clock.advance(taken.ms);
    case "compact":
      return source.compact();
    case "bookmark":
      return source.bookmark();
    case "late":
      return source.deliverLate();
    case "answer":
      return source.answerLate();
    case "die":
      return source.die();
    case "refresh":
      return informer.refresh();
    case "expire":
      return source.sendError(resourceExpired("too old resource version"));
    case "fail":
      return source.sendError(failure("InternalError", "no leader"));
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Heals the network, and advances the time. */
async function settle(source: FaultySource, clock: FakeClock): Promise<void> {
  source.plannedFaults.length = 0;
  for (let rounds = 0; rounds < 40; rounds += 1) {
    source.answerLate();
    await turn();
    source.bookmark();
    source.deliver(1_000, false);
    await turn();
    clock.advance(rounds < 5 ? 5_000 : 35_000);
    await turn();
  }
}

describe("an informer behind a faulty network", () => {
  it("converges to the server's state, and reports every change correctly", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 60 }),
        fc.boolean(),
        fc.integer({ min: 0, max: 99 }),
        async (steps, streamsInitialEvents, chance) => {
          const clock = new FakeClock(1_000_000);
          const source = new FaultySource(streamsInitialEvents);
          const { informer, mirror, lies } = observed(source, clock, () => chance / 100);
          source.write("a", "first");
          informer.start();
          const seen: Promise<void>[] = [];
          const gaveUp = new AbortController();
          for (const taken of steps) {
            act(source, informer, clock, taken);
            if (taken.do === "write") seen.push(informer.waitForRevision(source.revision, gaveUp.signal));
            await turn();
          }
          await settle(source, clock);
          const truth = new Map([...source.objects.values()].map(({ name, uid, value }) => [name, `${uid}=${value}`]));
          const kept = new Map([...informer.entries()].map(([{ name }, value]) => [name, value]));
          try {
            expect(kept).toEqual(truth);
            expect(mirror).toEqual(truth);
            expect(lies).toEqual([]);
            expect(informer.hasSynced).toBe(true);
            expect(informer.state.phase).toBe("live");
            gaveUp.abort(new Error("never seen"));
            await Promise.all(seen);
          } finally {
            await informer.stop();
          }
          expect(clock.waiting).toBe(0);
        },
      ),
      { numRuns: 400 },
    );
  });

  it("continues after a store is restored from a backup with older revisions", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(false);
    const { informer, mirror } = observed(source, clock, () => 0);
    source.write("a", "kept");
    informer.start();
    await settle(source, clock);
    const restored = new FaultySource(false);
    restored.write("b", "older");
    const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
    source.list = (paging) => restored.list(paging);
    source.sendError(failure("Timeout", "Timeout: Too large resource version: 99, current: 11", { causes }));
    await turn();
    clock.advance(1_000);
    await turn();
    await turn();
    expect([...mirror]).toEqual([["b", "uid-1=older"]]);
    await informer.stop();
  });
});

describe("an informer", () => {
  it("notifies the other handlers when one throws", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(true);
    const { informer, mirror } = observed(source, clock, () => 0);
    informer.subscribe({
      onAdd: () => {
        throw new Error("broken");
      },
    });
    source.write("a", "1");
    informer.start();
    await settle(source, clock);
    expect([...mirror]).toEqual([["a", "uid-1=1"]]);
    await informer.stop();
  });

  it("treats an object that its parser rejects as missing, and reports it", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(true);
    const reported: unknown[] = [];
    const informer = new Informer<Thing, string>({
      source,
      parse: (value) =>
        (value as JsonObject)["value"] === "bad"
          ? { ok: false, issues: [{ type: "FieldValueInvalid", field: "value", message: "is bad" }] }
          : { ok: true, value: value as unknown as Thing },
      transform: ({ value }) => value,
      clock,
      random: { fraction: () => 0 },
      report: (error) => reported.push(String(error)),
    });
    source.write("a", "good");
    source.write("b", "good");
    informer.start();
    await settle(source, clock);
    source.write("a", "bad");
    await settle(source, clock);
    expect([...informer.entries()].map(([{ name }]) => name)).toEqual(["b"]);
    expect(reported).toContain('UnreadableObject: "a" cannot be read: value: is bad');
    await informer.stop();
  });

  it("rejects more objects than its limit, and is not ready", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(true);
    const informer = new Informer<Thing, string>({
      source,
      parse: (value) => ({ ok: true, value: value as unknown as Thing }),
      transform: ({ value }) => value,
      clock,
      random: { fraction: () => 0 },
      report: () => undefined,
      objectsMax: 2,
    });
    for (const name of ["a", "b", "c"]) source.write(name, "1");
    informer.start();
    await settle(source, clock);
    expect(informer.hasSynced).toBe(false);
    expect(informer.state).toMatchObject({ phase: "troubled", error: new RangeError("more than 2 objects") });
    source.remove("c");
    await settle(source, clock);
    expect(informer.hasSynced).toBe(true);
    await informer.stop();
  });

  it("does not notify handlers of irrelevant changes", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(true);
    let changes = 0;
    const informer = new Informer<Thing, string>({
      source,
      parse: (value) => ({ ok: true, value: value as unknown as Thing }),
      transform: ({ value }) => value.toLowerCase(),
      isSame: (before, now) => before === now,
      clock,
      random: { fraction: () => 0 },
      report: () => undefined,
    });
    informer.subscribe({
      onUpdate: () => {
        changes += 1;
      },
    });
    source.write("a", "same");
    informer.start();
    await settle(source, clock);
    source.write("a", "SAME");
    await settle(source, clock);
    expect(changes).toBe(0);
    source.write("a", "other");
    await settle(source, clock);
    expect(changes).toBe(1);
    await informer.stop();
  });
});
