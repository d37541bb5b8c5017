import { describe, expect, it } from "vitest";
import { failure, resourceExpired, StatusError, tooManyRequests } from "../../protocol/api-status.ts";
import { FakeClock } from "../../protocol/fake-clock.ts";
import { backoffMs } from "../backoff.ts";
import { ConnectionFailed } from "../transport/transport.ts";
import type { ListerWatcher } from "./lister-watcher.ts";
import { Reflector, type ReflectorObserver } from "./reflector.ts";
import { isOlder } from "./revision.ts";
import { parseWatchLine } from "./watch-line.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const quiet: ReflectorObserver = {
  onReplaceStarted: () => undefined,
  onReplaced: () => undefined,
  onPresent: () => undefined,
  onDeleted: () => undefined,
  onProgress: () => undefined,
  onError: () => undefined,
};
const bookmark = (revision: string, ends = false): string =>
  JSON.stringify({
    type: "BOOKMARK",
    object: {
      kind: "Thing",
      metadata: {
        resourceVersion: revision,
        ...(ends ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
      },
    },
  });

type Play = (sink: { onOpened(): void; onLine(text: string): void }, signal: AbortSignal) => Promise<void>;

/** Watches a server with scripted responses; the last one stays open. Returns the times of the requests. */
async function followed(plays: readonly Play[], ms: number, fraction = 0.5) {
  const clock = new FakeClock();
  const sent: { readonly atMs: number; readonly from: string }[] = [];
  const source: ListerWatcher = {
    list: async () => {
      sent.push({ atMs: clock.now(), from: "list" });
      return { items: [], resourceVersion: "5", continue: "" };
    },
    watch: (parameters, sink, signal) => {
      const initial = parameters["sendInitialEvents"] === "true";
      sent.push({ atMs: clock.now(), from: initial ? "initial" : String(parameters["resourceVersion"]) });
      const play = plays[Math.min(sent.filter(({ from }) => from !== "list").length, plays.length) - 1];
      return play === undefined ? Promise.reject(new Error("no play")) : play(sink, signal);
    },
    planeOf: () => "root",
  };
  const stopped = new AbortController();
  const running = new Reflector(source, quiet, { clock, random: { fraction: () => fraction } }).run(stopped.signal);
  for (let passed = 0; passed < ms; passed += 50) {
    await turn();
    clock.advance(50);
  }
  stopped.abort(new Error("enough"));
  await running;
  expect(clock.waiting).toBe(0);
  return sent;
}

const started: Play = async (sink, signal) => {
  sink.onOpened();
  sink.onLine(bookmark("10", true));
  await held(sink, signal);
};
const held: Play = (_sink, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
const ended: Play = async (sink) => {
  sink.onOpened();
  sink.onLine(bookmark("10", true));
};
const rejected =
  (error: Error): Play =>
  () =>
    Promise.reject(error);
const cut = rejected(new ConnectionFailed({ method: "GET", path: "/" }, "cut"));

describe("a reflector", () => {
  it("sends one request without failures", async () => {
    expect(await followed([started], 100_000)).toEqual([{ atMs: 0, from: "initial" }]);
  });

  it("backs off from a tenth of a second to half a minute, and never gives up", async () => {
    const sent = await followed([cut], 300_000);
    const pauses = sent.slice(1).map(({ atMs }, at) => atMs - (sent[at]?.atMs ?? 0));
    expect(pauses.slice(0, 9)).toEqual([150, 300, 600, 1_200, 2_400, 4_800, 9_600, 19_200, 22_500]);
    expect(pauses.length).toBeGreaterThan(15);
    expect(new Set(pauses.slice(8))).toEqual(new Set([22_500]));
  });

  it("resumes from the last revision when a stream breaks", async () => {
    const bookmarked: Play = async (sink) => {
      sink.onOpened();
      sink.onLine(bookmark("10", true));
      sink.onLine(bookmark("12"));
      throw new ConnectionFailed({ method: "GET", path: "/" }, "cut");
    };
    expect(await followed([bookmarked, held], 1_000)).toEqual([
      { atMs: 0, from: "initial" },
      { atMs: 150, from: "12" },
    ]);
  });

  it("resumes immediately when the server ends a stream that had events", async () => {
    const useful: Play = async (sink) => {
      sink.onOpened();
      sink.onLine(bookmark("11"));
    };
    const sent = await followed([ended, useful, useful, held], 1_000);
    expect(sent.map(({ from }) => from)).toEqual(["initial", "10", "11", "11"]);
    expect(sent.every(({ atMs }) => atMs === 0)).toBe(true);
  });

  it("backs off from a server that ends every stream immediately", async () => {
    const useless: Play = async (sink) => sink.onOpened();
    const sent = await followed([ended, useless], 10_000);
    expect(sent.length).toBeLessThan(10);
  });

  const startOver: Record<string, Play> = {
    "history is compacted, reported as a response": rejected(
      new StatusError(resourceExpired("too old resource version")),
    ),
    "history is compacted, reported as an event": async (sink, signal) => {
      sink.onOpened();
      sink.onLine(JSON.stringify({ type: "ERROR", object: resourceExpired("too old resource version") }));
      await held(sink, signal);
    },
    "a line is malformed": async (sink, signal) => {
      sink.onOpened();
      sink.onLine("{nonsense");
      await held(sink, signal);
    },
  };
  it.each(Object.entries(startOver))("starts over when %s", async (_name, play) => {
    expect((await followed([ended, play, started], 1_000)).map(({ from }) => from)).toEqual([
      "initial",
      "10",
      "initial",
    ]);
  });

  it("honors Retry-After of a busy server", async () => {
    const busy = rejected(new StatusError(tooManyRequests("slow down", 7)));
    expect(await followed([busy, started], 20_000)).toEqual([
      { atMs: 0, from: "initial" },
      { atMs: 7_000, from: "initial" },
    ]);
  });

  it("lists pages from a server without streaming lists", async () => {
    const old = rejected(new StatusError(failure("Invalid", "sendInitialEvents is forbidden")));
    expect((await followed([old, held], 1_000)).map(({ from }) => from)).toEqual(["initial", "list", "5"]);
  });

  it("closes a stream that is silent for too long, and resumes", async () => {
    const sent = await followed([started, held], 151_000);
    expect(sent.map(({ from }) => from)).toEqual(["initial", "10"]);
    expect(sent[1]?.atMs).toBeGreaterThanOrEqual(150_000);
  });
});

describe("backoff", () => {
  it.each([
    [0, 0.5, 0],
    [1, 0, 100],
    [1, 0.5, 150],
    [2, 0, 200],
    [4, 0.5, 1_200],
    [100, 0, 15_000],
    [100, 0.5, 22_500],
  ])("after %i failures, by chance %d, is %i ms", (failures, fraction, ms) => {
    const pauseMs = backoffMs(failures, { minMs: 100, maxMs: 30_000 }, { fraction: () => fraction });
    expect(Math.floor(pauseMs)).toBe(ms);
  });
});

describe("revisions", () => {
  it.each([
    ["9", "10", true],
    ["10", "9", false],
    ["10", "10", false],
    ["9007199254740992", "9007199254740993", true],
    ["abc", "10", false],
    ["10", "abc", false],
    ["", "1", false],
  ])("%s is older than %s: %s", (left, right, isIt) => {
    expect(isOlder(left, right)).toBe(isIt);
  });
});

describe("lines of a watch", () => {
  it.each([
    ["[]", "a watch line is not an event"],
    ["{", "a watch line is not JSON"],
    ['{"type":"ADDED"}', "a watch line is not an event"],
    ['{"type":"ADDED","object":{}}', "a watch event has no resourceVersion"],
    ['{"type":"MOVED","object":{}}', 'unknown watch event type "MOVED"'],
    ['{"type":"ERROR","object":{}}', "a watch error is not a Status"],
  ])("%s is rejected", (text, says) => {
    expect(() => parseWatchLine(text)).toThrow(says);
  });

  it("may contain the plane of their object", () => {
    const object = { metadata: { resourceVersion: "5" } };
    const line = JSON.stringify({ type: "DELETED", plane: "project-a", object });
    expect(parseWatchLine(line)).toEqual({ type: "gone", plane: "project-a", revision: "5", object });
  });
});
