import { describe, expect, it } from "vitest";
import {
  type CallCounts,
  callsByFile,
  callsOfRequest,
  countsOf,
  type ScriptCoverage,
  totalCalls,
} from "./call-counts.ts";

const url = "file:///bundle.js";
const other = "file:///node_modules/pino/pino.js";

function script(functions: readonly (readonly [name: string, startOffset: number, count: number])[], of = url) {
  return {
    url: of,
    functions: functions.map(([functionName, startOffset, count]) => ({
      functionName,
      ranges: [{ startOffset, count }],
    })),
  } satisfies ScriptCoverage;
}

const sources = new Map([
  [
    url,
    {
      find: (offset: number) => {
        if (offset < 10) return undefined;
        return offset < 100 ? { file: "packages/a.ts", line: offset } : { file: "package.json", line: 1 };
      },
    },
  ],
]);

describe("counts of coverage", () => {
  const cases: Record<string, [coverage: readonly ScriptCoverage[], counts: Record<string, number>]> = {
    "name the source of a function": [[script([["go", 12, 3]])], { "packages/a.ts:12 go": 3 }],
    "leave out what was not called": [[script([["go", 12, 0]])], {}],
    "leave out what the bundler added": [[script([["__export", 5, 1]])], {}],
    "leave out what is not below src": [[script([["", 100, 1]])], {}],
    "leave out other scripts": [[script([["log", 12, 1]], other)], {}],
    "name functions without a name": [[script([["", 12, 1]])], { "packages/a.ts:12 (anonymous)": 1 }],
    "add up what several threads call": [
      [script([["go", 12, 3]]), script([["go", 12, 2]])],
      { "packages/a.ts:12 go": 5 },
    ],
  };
  for (const [name, [coverage, counts]] of Object.entries(cases)) {
    it(name, () => expect(Object.fromEntries(countsOf(coverage, sources))).toEqual(counts));
  }
});

function counts(of: Record<string, number>): CallCounts {
  return new Map(Object.entries(of));
}

describe("the calls of a request", () => {
  type Counts = Record<string, number>;
  const cases: Record<string, [withRequest: Counts[], idle: Counts[], calls: Counts]> = {
    "are the median": [[{ go: 1 }, { go: 3 }, { go: 2 }], [{}, {}, {}], { go: 2 }],
    "leave out a timer that fired once": [[{ go: 1, tick: 9 }, { go: 1 }, { go: 1 }], [{}, {}, {}], { go: 1 }],
    "are less what runs without a request": [
      [{ now: 5 }, { now: 5 }, { now: 5 }],
      [{ now: 2 }, { now: 2 }, {}],
      { now: 3 },
    ],
    "leave out what runs as often without one": [[{ tick: 1 }, { tick: 1 }, {}], [{ tick: 1 }, { tick: 1 }, {}], {}],
    "are never negative": [[{ tick: 1 }], [{ tick: 2 }], {}],
  };
  for (const [name, [withRequest, idle, calls]] of Object.entries(cases)) {
    it(name, () => {
      expect(Object.fromEntries(callsOfRequest(withRequest.map(counts), idle.map(counts)))).toEqual(calls);
    });
  }
});

describe("sums of calls", () => {
  const all = counts({ "packages/a.ts:1 one": 1, "packages/b.ts:1 two": 2, "packages/a.ts:9 three": 3 });

  it("count every call", () => expect(totalCalls(all)).toBe(6));

  it("come for each file, most first", () => {
    expect([...callsByFile(all)]).toEqual([
      ["packages/a.ts", 4],
      ["packages/b.ts", 2],
    ]);
  });
});
