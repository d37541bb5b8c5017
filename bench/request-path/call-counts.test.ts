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

describe("countsOf", () => {
  const cases: Record<string, [coverage: readonly ScriptCoverage[], counts: Record<string, number>]> = {
    "names the source of a function": [[script([["go", 12, 3]])], { "packages/a.ts:12 go": 3 }],
    "omits functions that were not called": [[script([["go", 12, 0]])], {}],
    "omits code of the bundler": [[script([["__export", 5, 1]])], {}],
    "omits files outside of packages": [[script([["", 100, 1]])], {}],
    "omits other scripts": [[script([["log", 12, 1]], other)], {}],
    "labels anonymous functions": [[script([["", 12, 1]])], { "packages/a.ts:12 (anonymous)": 1 }],
    "sums the calls of all threads": [[script([["go", 12, 3]]), script([["go", 12, 2]])], { "packages/a.ts:12 go": 5 }],
  };
  for (const [name, [coverage, counts]] of Object.entries(cases)) {
    it(name, () => expect(Object.fromEntries(countsOf(coverage, sources))).toEqual(counts));
  }
});

function counts(of: Record<string, number>): CallCounts {
  return new Map(Object.entries(of));
}

describe("callsOfRequest", () => {
  type Counts = Record<string, number>;
  const cases: Record<string, [withRequest: Counts[], idle: Counts[], calls: Counts]> = {
    "takes the median": [[{ go: 1 }, { go: 3 }, { go: 2 }], [{}, {}, {}], { go: 2 }],
    "omits a timer that fired once": [[{ go: 1, tick: 9 }, { go: 1 }, { go: 1 }], [{}, {}, {}], { go: 1 }],
    "subtracts calls of an idle program": [
      [{ now: 5 }, { now: 5 }, { now: 5 }],
      [{ now: 2 }, { now: 2 }, {}],
      { now: 3 },
    ],
    "omits functions that an idle program calls as often": [
      [{ tick: 1 }, { tick: 1 }, {}],
      [{ tick: 1 }, { tick: 1 }, {}],
      {},
    ],
    "is never negative": [[{ tick: 1 }], [{ tick: 2 }], {}],
  };
  for (const [name, [withRequest, idle, calls]] of Object.entries(cases)) {
    it(name, () => {
      expect(Object.fromEntries(callsOfRequest(withRequest.map(counts), idle.map(counts)))).toEqual(calls);
    });
  }
});

describe("totalCalls and callsByFile", () => {
  const all = counts({ "packages/a.ts:1 one": 1, "packages/b.ts:1 two": 2, "packages/a.ts:9 three": 3 });

  it("count all calls", () => expect(totalCalls(all)).toBe(6));

  it("sum by file, most calls first", () => {
    expect([...callsByFile(all)]).toEqual([
      ["packages/a.ts", 4],
      ["packages/b.ts", 2],
    ]);
  });
});
