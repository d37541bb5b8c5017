import { describe, expect, it } from "vitest";
import { jsonText } from "./output.ts";
import { textTable } from "./text-table.ts";
import { expiryMs, parseExpiry } from "./token/expiry.ts";

describe("JSON output", () => {
  const texts: Record<string, [value: Parameters<typeof jsonText>[0], text: string]> = {
    "keeps integers exact": [{ limit: 9223372036854775807n }, '{\n  "limit": 9223372036854775807\n}'],
    nests: [{ a: [1, { b: null }] }, '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}'],
    "keeps empty arrays and objects": [{ a: [], b: {} }, '{\n  "a": [],\n  "b": {}\n}'],
    "escapes keys and strings": [{ 'a"': "\n" }, '{\n  "a\\"": "\\n"\n}'],
  };
  for (const [name, [value, text]] of Object.entries(texts)) it(name, () => expect(jsonText(value)).toBe(text));
});

describe("a table", () => {
  it("sizes columns by content, aligns numbers to the right, and omits empty columns", () => {
    const columns = [{ title: "NAME" }, { title: "EMPTY" }, { title: "LIMIT", align: "right" } as const];
    const rows = [
      ["a", "", "1 project"],
      ["größer", "", "10"],
    ];
    expect(textTable(columns, rows)).toBe("NAME         LIMIT\na        1 project\ngrößer          10");
  });
});

describe("the expiry of a token", () => {
  const expiries: Record<string, number> = {
    "90m": 1_000 + 90 * 60_000,
    "24h": 1_000 + 24 * 3_600_000,
    "30d": 1_000 + 30 * 86_400_000,
    "15s": 16_000,
    "2030-01-31T12:00:00Z": 1_896_091_200_000,
  };
  for (const [text, ms] of Object.entries(expiries))
    it(text, () => expect(expiryMs(parseExpiry(text), 1_000)).toBe(ms));
  for (const text of ["", "1", "0h", "1w", "-1h", "tomorrow", "1.5h"]) {
    it(`cannot be "${text}"`, () => expect(() => parseExpiry(text)).toThrow("must be a duration such as 90m"));
  }
});
