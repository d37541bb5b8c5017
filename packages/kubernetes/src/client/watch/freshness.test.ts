import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FaultySource } from "../../../test/faulty-source.ts";
import { FakeClock } from "../../protocol/fake-clock.ts";
import type { JsonValue } from "../../protocol/json-value.ts";
import { lightAbortController } from "../light-abort-controller.ts";
import { Informer } from "./informer.ts";
import type { ListerWatcher } from "./lister-watcher.ts";

interface Thing {
  readonly value: string;
}

const { signal } = lightAbortController();
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function informed(source: ListerWatcher, clock: FakeClock): Informer<Thing, string> {
  return new Informer<Thing, string>({
    source,
    parse: (value: JsonValue) => ({ ok: true, value: value as unknown as Thing }),
    transform: ({ value }) => value,
    clock,
    random: { fraction: () => 0.5 },
    report: () => undefined,
  });
}

/** An in-process server, which supports progress requests. */
function askable(source: FaultySource): FaultySource {
  (source as ListerWatcher).progress = async () => {
    source.bookmark();
    return source.revision;
  };
  return source;
}

const state = (entries: Iterable<readonly [string, string]>): string => JSON.stringify([...entries].sort());
const kept = (informer: Informer<Thing, string>): string =>
  state([...informer.entries()].map(([{ name }, value]) => [name, value] as const));
const stored = (source: FaultySource): string =>
  state([...source.objects.values()].map(({ name, value }) => [name, value] as const));

const actions = fc.constantFrom(
  ...([
    "write",
    "write",
    "write",
    "remove",
    "fresh",
    "fresh",
    "fresh",
    "deliver",
    "deliver",
    "late",
    "answer",
  ] as const),
  ...(["cut", "end", "die", "compact", "wait", "wait long", "refresh", "lost", "busy", "gone", "delay"] as const),
);
const step = fc.record({ do: actions, name: fc.constantFrom("a", "b", "c"), count: fc.nat(5) });

interface Scene {
  readonly source: FaultySource;
  readonly clock: FakeClock;
  readonly informer: Informer<Thing, string>;
}

function act({ source, clock, informer }: Scene, taken: Step, value: string): unknown {
  switch (taken.do) {
    case "write":
      return source.write(taken.name, value);
    case "remove":
      return source.remove(taken.name);
    case "deliver":
      return source.deliver(taken.count, taken.count % 2 === 0);
    case "late":
      return source.deliverLate();
    case "answer":
      return source.answerLate();
    case "cut":
      return source.cut("broken");
    case "end":
      return source.cut("in order");
    case "die":
      return source.die();
    case "compact":
      return source.compact();
    case "wait":
      return clock.advance(300);
    case "wait long":
      return clock.advance(30_000);
    case "refresh":
      return informer.refresh();
    case "lost":
      return source.plannedFaults.push("cut");
    case "fresh":
      return undefined;
    default:
      return source.plannedFaults.push(taken.do);
  }
}
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function settle(source: FaultySource, clock: FakeClock): Promise<void> {
  source.plannedFaults.length = 0;
  for (let rounds = 0; rounds < 60; rounds += 1) {
    source.answerLate();
    await turn();
    source.deliver(1_000, false);
    await turn();
    clock.advance(rounds < 30 ? 400 : 35_000);
    await turn();
  }
}

describe("an informer asked for a consistent read", () => {
  for (const how of ["a list", "a progress request"] as const) {
    it(`has all earlier changes under network faults, by progress from ${how}`, async () => {
      let resolved = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), fc.boolean(), async (steps, streams) => {
          const clock = new FakeClock(1_000_000);
          const source = how === "a list" ? new FaultySource(streams) : askable(new FaultySource(streams));
          const informer = informed(source, clock);
          source.write("a", "first");
          informer.start();
          const states = [stored(source)];
          const early: string[] = [];
          const waits: Promise<void>[] = [];
          const waitUntilFresh = (): void => {
            const since = states.length - 1;
            const check = (): void => {
              resolved += 1;
              if (!states.slice(since).includes(kept(informer))) early.push(`${kept(informer)} of ${states[since]}`);
            };
            waits.push(informer.waitUntilFresh(signal).then(check, () => undefined));
          };
          for (const [index, taken] of steps.entries()) {
            if (taken.do === "fresh") waitUntilFresh();
            act({ source, clock, informer }, taken, String(index));
            if (states.at(-1) !== stored(source)) states.push(stored(source));
            await turn();
          }
          await settle(source, clock);
          await Promise.all(waits);
          expect(early).toEqual([]);
          await informer.stop();
          expect(clock.waiting).toBe(0);
        }),
        { numRuns: 800 },
      );
      expect(resolved).toBeGreaterThan(400);
    });
  }

  it("sends one request for all concurrent callers, and another for callers that arrive during it", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(true);
    let requestCount = 0;
    const answers: (() => void)[] = [];
    (source as ListerWatcher).progress = async () => {
      requestCount += 1;
      const { revision } = source;
      await new Promise<void>((resolve) => answers.push(resolve));
      return revision;
    };
    const informer = informed(source, clock);
    informer.start();
    await turn();
    source.deliver(10, false);
    const first = Array.from({ length: 100 }, () => informer.waitUntilFresh(signal));
    await turn();
    expect(requestCount).toBe(1);
    source.write("a", "1");
    const second = Array.from({ length: 100 }, () => informer.waitUntilFresh(signal));
    await turn();
    expect(requestCount).toBe(1);
    answers.shift()?.();
    await Promise.all(first);
    expect(informer.size).toBe(0);
    await turn();
    expect(requestCount).toBe(2);
    answers.shift()?.();
    await turn();
    source.deliver(10, false);
    await Promise.all(second);
    expect(informer.size).toBe(1);
    await informer.stop();
  });

  it("lists again when a stream is silent for a quarter of a second, at most once a second", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(false);
    const informer = informed(source, clock);
    let streams = 0;
    const { watch } = source;
    source.watch = (...parameters) => {
      streams += 1;
      return watch.apply(source, parameters);
    };
    informer.start();
    for (let turns = 0; turns < 3; turns += 1) await turn();
    clock.advance(1_000);
    await turn();
    const before = streams;
    source.die();
    source.write("a", "1");
    const fresh = informer.waitUntilFresh(signal);
    await turn();
    clock.advance(249);
    await turn();
    expect(informer.size).toBe(0);
    clock.advance(1);
    await fresh;
    expect(informer.size).toBe(1);
    await turn();
    expect(streams).toBe(before + 1);
    source.die();
    source.write("b", "2");
    const again = informer.waitUntilFresh(signal);
    await turn();
    clock.advance(500);
    await turn();
    expect(streams).toBe(before + 1);
    clock.advance(500);
    await again;
    expect(informer.size).toBe(2);
    await informer.stop();
  });

  it("never treats a restored store as a known one", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(true);
    const informer = informed(source, clock);
    for (const name of ["a", "b", "c"]) source.write(name, "lost");
    informer.start();
    await turn();
    source.deliver(10, false);
    expect(informer.revision).toBe("13");
    const restored = new FaultySource(true);
    restored.write("d", "kept");
    source.list = (paging) => restored.list(paging);
    source.watch = (...parameters) => restored.watch(...parameters);
    await expect(informer.waitUntilFresh(signal)).rejects.toThrow('the server is at revision "11"');
    expect(informer.revision).toBeUndefined();
    await turn();
    restored.deliver(10, false);
    await informer.waitUntilFresh(signal);
    expect(kept(informer)).toBe('[["d","kept"]]');
    await informer.stop();
  });

  it("does no more work for cancelled callers", async () => {
    const clock = new FakeClock();
    const source = new FaultySource(true);
    const informer = informed(source, clock);
    informer.start();
    await turn();
    source.deliver(10, false);
    const idle = clock.waiting;
    for (let round = 0; round < 20; round += 1) {
      source.write("a", String(round)); // and nothing is delivered
      const impatient = new AbortController();
      const waits = [informer.waitUntilFresh(impatient.signal), informer.waitUntilFresh(impatient.signal)];
      await turn();
      expect(clock.waiting).toBe(idle + 1);
      impatient.abort(new Error("enough"));
      for (const each of waits) await expect(each).rejects.toThrow("enough");
      await turn();
      expect(clock.waiting).toBe(idle);
    }
    const wait = informer.waitUntilFresh(signal);
    await turn();
    source.deliver(100, false);
    await wait;
    expect(kept(informer)).toBe('[["a","19"]]');
    await informer.stop();
  });

  it("fails when the server does not respond, and callers can stop waiting", async () => {
    const clock = new FakeClock();
    const source = askable(new FaultySource(true));
    (source as ListerWatcher).progress = () => new Promise(() => undefined);
    const informer = informed(source, clock);
    informer.start();
    const impatient = new AbortController();
    const first = informer.waitUntilFresh(impatient.signal);
    const second = informer.waitUntilFresh(signal);
    impatient.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    await turn();
    clock.advance(10_000);
    await expect(second).rejects.toThrow("no response within 10000 ms");
    await informer.stop();
    await expect(informer.waitUntilFresh(signal)).rejects.toThrow("stopped");
    expect(clock.waiting).toBe(0);
  });
});
