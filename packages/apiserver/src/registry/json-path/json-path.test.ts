import type { JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { describe, expect, it } from "vitest";
import { type Cell, cellReader } from "./column-cell.ts";
import { fieldText, findValues } from "./json-path.ts";
import { parseJsonPath } from "./json-path-reader.ts";

const object: JsonValue = {
  metadata: { name: "n", creationTimestamp: "2026-01-01T00:00:00Z", labels: { "a.b/c": "x" } },
  spec: {
    n: 5,
    f: 1.5,
    big: 12345678.5,
    t: true,
    s: "text",
    nothing: null,
    list: [1, 2, 3, 4],
    map: { b: 1, a: { c: [] } },
    large: 9007199254740993n,
    odd: "not a date",
    "dash-ed": 2,
  },
  status: {
    conditions: [{ type: "Ready", status: "True", n: 1 }, { type: "Synced", status: "False", n: 2 }, { status: "x" }],
  },
};

const valuesAt = (path: string): readonly JsonValue[] | undefined | string => {
  const parsed = parseJsonPath(path);
  return parsed.ok ? findValues(parsed.value, object) : parsed.fault;
};

describe("a JSON path selects", () => {
  const cases: Record<string, readonly JsonValue[] | undefined> = {
    ".spec.n": [5],
    ".spec['n']": [5],
    "$.spec.n": [5],
    ".spec.dash-ed": [2],
    ".spec.missing": [],
    ".spec.missing.more": [],
    ".spec.%": [],
    ".spec.nothing": [null],
    ".spec.n.x": [],
    ".spec.list[0]": [1],
    ".spec.list[-1]": [4],
    ".spec.list[1:3]": [2, 3],
    ".spec.list[-3:-1]": [2, 3],
    ".spec.list[::2]": [1, 3],
    ".spec.list[*]": [1, 2, 3, 4],
    ".spec.list[0,2]": [1, 3],
    ".spec.list[9]": undefined,
    ".spec.list[3:1]": undefined,
    ".spec.list[0:0]": [],
    ".spec.s[0]": undefined,
    ".spec.map.*": [1, { c: [] }],
    ".metadata.labels['a\\.b/c']": ["x"],
    ".metadata.labels.a\\.b/c": ["x"],
    "..type": ["Ready", "Synced"],
    '.status.conditions[?(@.type=="Ready")].status': ["True"],
    ".status.conditions[?(@.type=='Ready')].status": ["True"],
    '.status.conditions[?(@.type=="None")].status': [],
    ".status.conditions[?(@.n>1)].type": ["Synced"],
    ".status.conditions[?(@.n!=1)].type": ["Synced"],
    ".status.conditions[?(@.type)].n": [1, 2],
    '.status.conditions[?(@.type=="a)b")].status': [],
    '.status.conditions[?(@.n=="1")].type': undefined,
    ".spec[?(@.n==1)]": undefined,
  };
  for (const [path, values] of Object.entries(cases)) it(path, () => expect(valuesAt(path)).toEqual(values));
});

describe("a JSON path is rejected", () => {
  const cases: Record<string, string> = {
    ".spec[": "unterminated array",
    ".spec.list[a]": "invalid array index a",
    ".spec.list[99999999999999999999]": "array index 99999999999999999999 is not a number",
    '.spec[?(@.n=="x"].y': "unterminated filter",
    ".spec[?(@.n==1)": "unclosed array expect ]",
    '.spec[?(@.n=~"x")]': "unrecognized filter operator =",
    "..a....b": "invalid multiple recursive descent",
    "'x": "unterminated quoted string",
    ";": "unrecognized character in action: U+003B ';'",
  };
  for (const [path, fault] of Object.entries(cases)) {
    it(path, () => expect(valuesAt(path)).toEqual(fault));
  }
});

describe("a cell shows", () => {
  const nowMs = Date.UTC(2026, 0, 3);
  const cases: [type: "string" | "integer" | "number" | "boolean" | "date", path: string, cell: Cell][] = [
    ["string", ".spec.s", "text"],
    ["string", ".spec.n", "5"],
    ["string", ".spec.big", "1.23456785e+07"],
    ["string", ".spec.t", "true"],
    ["string", ".spec.map", '{"a":{"c":[]},"b":1}'],
    ["string", ".spec.list", "[1,2,3,4]"],
    ["string", ".spec.list[*]", "1"],
    ["string", ".spec.nothing", "<no value>"],
    ["string", ".spec.missing", null],
    ["string", ".spec.list[9]", null],
    ["integer", ".spec.n", 5],
    ["integer", ".spec.f", 1],
    ["integer", ".spec.large", 9007199254740993n],
    ["integer", ".spec.s", null],
    ["integer", ".spec.nothing", null],
    ["number", ".spec.f", 1.5],
    ["number", ".spec.s", null],
    ["boolean", ".spec.t", true],
    ["boolean", ".spec.n", null],
    ["date", ".metadata.creationTimestamp", "2d"],
    ["date", ".spec.odd", "<invalid>"],
    ["date", ".spec.n", null],
    ["date", ".spec[", null],
  ];
  for (const [type, jsonPath, cell] of cases) {
    it(`${String(cell)} for ${jsonPath} as ${type}`, () => {
      expect(cellReader({ name: "X", type, jsonPath })(object, nowMs)).toEqual(cell);
    });
  }
});

it("returns the text of a field for selectors, empty when it is missing", () => {
  const read = (path: string): string => {
    const parsed = parseJsonPath(path);
    return parsed.ok ? fieldText(parsed.value, object) : "malformed";
  };
  expect([".spec.s", ".spec.n", ".spec.t", ".spec.nothing", ".spec.missing"].map(read)).toEqual([
    ...["text", "5", "true", "", ""],
  ]);
});
