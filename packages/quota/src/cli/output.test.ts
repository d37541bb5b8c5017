import { describe, expect, it } from "vitest";
import { jsonText } from "./output.ts";
import { textTable } from "./text-table.ts";
import { endMs, readEnd } from "./token/duration.ts";

describe("JSON for people and programs", () => {
  const texts: Record<string, [value: Parameters<typeof jsonText>[0], text: string]> = {
    "keeps integers exact": [{ limit: 9223372036854775807n }, '{\n  "limit": 9223372036854775807\n}'],
    nests: [{ a: [1, { b: null }] }, '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}'],
    "leaves nothing to guess about what is empty": [{ a: [], b: {} }, '{\n  "a": [],\n  "b": {}\n}'],
    "escapes names and texts": [{ 'a"': "\n" }, '{\n  "a\\"": "\\n"\n}'],
  };
  for (const [name, [value, text]] of Object.entries(texts)) it(name, () => expect(jsonText(value)).toBe(text));
});

describe("a table", () => {
  it("is as wide as what is in it, numbers at the right, without columns in which nothing is", () => {
    const columns = [{ title: "NAME" }, { title: "EMPTY" }, { title: "LIMIT", align: "right" } as const];
    const rows = [
      ["a", "", "1 project"],
      ["größer", "", "10"],
    ];
    expect(textTable(columns, rows)).toBe("NAME         LIMIT\na        1 project\ngrößer          10");
  });
});

describe("when a token ends", () => {
  const ends: Record<string, number> = {
    "90m": 1_000 + 90 * 60_000,
    "24h": 1_000 + 24 * 3_600_000,
    "30d": 1_000 + 30 * 86_400_000,
    "15s": 16_000,
    "2030-01-31T12:00:00Z": 1_896_091_200_000,
  };
  for (const [text, ms] of Object.entries(ends)) it(text, () => expect(endMs(readEnd(text), 1_000)).toBe(ms));
  for (const text of ["", "1", "0h", "1w", "-1h", "tomorrow", "1.5h"]) {
    it(`not "${text}"`, () => expect(() => readEnd(text)).toThrow("write 90m, 24h, 30d"));
  }
});
