import { describe, expect, expectTypeOf, it } from "vitest";
import { issueText } from "../protocol/field-issue.ts";
import { readJson } from "../protocol/json-reader.ts";
import type { JsonValue } from "../protocol/json-value.ts";
import { schemaIssues } from "./check.ts";
import { compileSchema } from "./compiled-schema.ts";
import type { Infer } from "./infer.ts";
import type { Schema } from "./structural-schema.ts";
import { walkObject, walkValue } from "./walk.ts";

const text = (schema: Schema): Schema => ({ type: "object", properties: { f: schema } });

function issuesOf(schema: Schema, value: JsonValue): string[] {
  return walkValue(compileSchema(text(schema)), { f: value }).issues.map(issueText);
}

describe("validation with Kubernetes' messages", () => {
  const cases: Record<string, [schema: Schema, value: JsonValue, issues: string[]]> = {
    "a string for an integer": [
      { type: "integer" },
      "x",
      ['f: Invalid value: "string": f in body must be of type integer: "string"'],
    ],
    "a fraction for an integer": [
      { type: "integer" },
      1.5,
      ['f: Invalid value: "number": f in body must be of type integer: "number"'],
    ],
    "an integer for a number": [{ type: "number" }, 1, []],
    "a whole double for an integer": [{ type: "integer" }, 2e3, []],
    "a double that may have been rounded for an integer": [
      { type: "integer" },
      2 ** 53,
      ['f: Invalid value: "number": f in body must be of type integer: "number"'],
    ],
    "a list for an object": [
      { type: "object" },
      [],
      ['f: Invalid value: "array": f in body must be of type object: "array"'],
    ],
    "an object for a boolean": [
      { type: "boolean" },
      {},
      ['f: Invalid value: "object": f in body must be of type boolean: "object"'],
    ],
    "a null in a list": [
      { type: "array", items: { type: "string" } },
      [null],
      ['f[0]: Invalid value: "null": f[0] in body must be of type string: "null"'],
    ],
    "a number where a format is checked": [
      { type: "string", format: "date-time" },
      0,
      ['f: Invalid value: "int64": f in body must be of type date-time: "int64"'],
    ],
    "a boolean where a format is checked": [
      { type: "string", format: "uuid" },
      true,
      ['f: Invalid value: "": f in body must be of type uuid: ""'],
    ],
    "a list where a format is checked, which Kubernetes accepts": [
      { type: "string", format: "uuid" },
      [],
      ['f: Invalid value: "array": f in body must be of type string: "array"'],
    ],
    "a wrong type that is not in the enum either": [
      { type: "string", enum: ["A"] },
      5,
      [
        'f: Invalid value: "integer": f in body must be of type string: "integer"',
        'f: Unsupported value: 5: supported values: "A"',
      ],
    ],
    "a member of a map without additional properties": [
      { type: "object", additionalProperties: false },
      { a: 1 },
      ['f: Invalid value: "a": f.a in body is a forbidden property'],
    ],
    "int or string": [{ "x-kubernetes-int-or-string": true }, 80, []],
    "neither int nor string": [
      { "x-kubernetes-int-or-string": true },
      true,
      ['f: Invalid value: "boolean": f in body must be of type integer,string: "boolean"'],
    ],
    "a value of an enum": [{ type: "string", enum: ["A", "B"] }, "A", []],
    "a value outside the enum": [
      { type: "string", enum: ["A", "B"] },
      "C",
      ['f: Unsupported value: "C": supported values: "A", "B"'],
    ],
    "a number outside the enum": [
      { type: "integer", enum: [1, 2] },
      3,
      ['f: Unsupported value: 3: supported values: "1", "2"'],
    ],
    "too long": [{ type: "string", maxLength: 3 }, "four", ["f: Too long: may not be more than 3 bytes"]],
    "long enough in characters, not in bytes": [{ type: "string", maxLength: 2 }, "😀é", []],
    "too short": [
      { type: "string", minLength: 1 },
      "",
      ['f: Invalid value: "": f in body should be at least 1 chars long'],
    ],
    "a pattern": [
      { type: "string", pattern: "^a+$" },
      "ab",
      ["f: Invalid value: \"ab\": f in body should match '^a+$'"],
    ],
    "a pattern matches anywhere unless anchored": [{ type: "string", pattern: "b" }, "abc", []],
    "a date-time": [{ type: "string", format: "date-time" }, "2026-02-28T23:59:59.123+01:00", []],
    "not a date-time": [
      { type: "string", format: "date-time" },
      "2026-02-29T00:00:00Z",
      ['f: Invalid value: "2026-02-29T00:00:00Z": f in body must be of type date-time: "2026-02-29T00:00:00Z"'],
    ],
    "an unchecked format": [{ type: "string", format: "poem" }, "x", []],
    "below the minimum": [
      { type: "integer", minimum: 0 },
      -1,
      ["f: Invalid value: -1: f in body should be greater than or equal to 0"],
    ],
    "at the exclusive minimum": [
      { type: "integer", minimum: 0, exclusiveMinimum: true },
      0,
      ["f: Invalid value: 0: f in body should be greater than 0"],
    ],
    "above the maximum": [
      { type: "integer", maximum: 5 },
      6,
      ["f: Invalid value: 6: f in body should be less than or equal to 5"],
    ],
    "at the exclusive maximum": [
      { type: "number", maximum: 5, exclusiveMaximum: true },
      5,
      ["f: Invalid value: 5: f in body should be less than 5"],
    ],
    "not a multiple": [
      { type: "integer", multipleOf: 3 },
      4,
      ["f: Invalid value: 4: f in body should be a multiple of 3"],
    ],
    "a multiple of a fraction": [{ type: "number", multipleOf: 0.5 }, 1.5, []],
    "an integer beside a fraction, which Kubernetes rounds": [
      { type: "number", multipleOf: 0.5 },
      1,
      ["f: Invalid value: 0: factor MultipleOf declared for f must be positive: 0"],
    ],
    "a fraction below a large minimum": [
      { type: "number", minimum: 1_000_000 },
      0.5,
      ["f: Invalid value: 0.5: f in body should be greater than or equal to 1e+06"],
    ],
    "an integer below a large minimum": [
      { type: "number", minimum: 1_000_000.5 },
      1,
      ["f: Invalid value: 1: f in body should be greater than or equal to 1000000"],
    ],
    "the largest int64": [{ type: "integer", format: "int64" }, 9223372036854775807n, []],
    "beyond int64": [
      { type: "integer", format: "int64" },
      9223372036854775808n,
      ['f: Invalid value: "number": f in body must be of type integer: "number"'],
    ],
    "a large amount below its minimum": [
      { type: "integer", format: "int64", minimum: 0 },
      -9223372036854775808n,
      ["f: Invalid value: -9223372036854775808: f in body should be greater than or equal to 0"],
    ],
    "too few items": [
      { type: "array", items: { type: "string" }, minItems: 1 },
      [],
      ["f: Invalid value: 0: f in body should have at least 1 items"],
    ],
    "too many items": [
      { type: "array", items: { type: "string" }, maxItems: 1 },
      ["a", "b"],
      ["f: Too many: 2: must have at most 1 item"],
    ],
    "too few properties": [
      { type: "object", additionalProperties: { type: "string" }, minProperties: 1 },
      {},
      ["f: Invalid value: 0: f in body should have at least 1 properties"],
    ],
    "null properties do not count": [
      { type: "object", additionalProperties: { type: "string" }, minProperties: 1 },
      { a: null },
      ["f: Invalid value: 0: f in body should have at least 1 properties"],
    ],
    "unknown properties do not count": [
      { type: "object", properties: { a: { type: "string" } }, maxProperties: 1 },
      { a: "", b: "" },
      [],
    ],
    "a null outside the enum": [
      { type: "string", nullable: true, enum: ["a"] },
      null,
      ['f: Unsupported value: null: supported values: "a"'],
    ],
    "a null in the enum, which Kubernetes rejects": [
      { type: "string", nullable: true, enum: ["a", null] },
      null,
      ['f: Unsupported value: null: supported values: "a", "null"'],
    ],
    "the fields of an embedded object, by their types": [
      { type: "object", "x-kubernetes-embedded-resource": true, properties: { kind: { type: "string" } } },
      { kind: 5, metadata: { labels: { a: "b" } } },
      ['f.kind: Invalid value: "integer": f.kind in body must be of type string: "integer"'],
    ],
    "a set with a duplicate object, its keys in another order": [
      {
        type: "array",
        items: { type: "object", additionalProperties: { type: "integer" } },
        "x-kubernetes-list-type": "set",
      },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['f[1]: Duplicate value: {"a":1,"b":2}'],
    ],
    "too many properties": [
      { type: "object", additionalProperties: { type: "string" }, maxProperties: 1 },
      { a: "", b: "" },
      ["f: Too many: 2: must have at most 1 item"],
    ],
    "a value of a map": [
      { type: "object", additionalProperties: { type: "string" } },
      { "a.b/c": 1 },
      ['f.a.b/c: Invalid value: "integer": f.a.b/c in body must be of type string: "integer"'],
    ],
    "required fields, below lists too": [
      {
        type: "array",
        items: { type: "object", required: ["a", "b"], properties: { a: { type: "string" }, b: { type: "string" } } },
      },
      [{ a: "" }, { b: "" }],
      ["f[0].b: Required value", "f[1].a: Required value"],
    ],
    "a set with duplicates": [
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
      ["a", "b", "a"],
      ['f[2]: Duplicate value: "a"'],
    ],
    "a list map with duplicate keys": [
      {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type", "key"],
        items: {
          type: "object",
          properties: { type: { type: "string" }, key: { type: "string", default: "" }, n: { type: "integer" } },
        },
      },
      [
        { type: "a", n: 1 },
        { type: "a", key: "x" },
        { type: "a", key: "", n: 2 },
      ],
      ['f[2]: Duplicate value: {"key":"","type":"a"}'],
    ],
    "an atomic list may have duplicates": [
      { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "atomic" },
      ["a", "a"],
      [],
    ],
    allOf: [
      { type: "string", allOf: [{ minLength: 2 }, { pattern: "^x" }] },
      "y",
      [
        'f: Invalid value: "y": f in body should be at least 2 chars long',
        "f: Invalid value: \"y\": f in body should match '^x'",
        '<nil>: Invalid value: "": "f" must validate all the schemas (allOf). None validated',
      ],
    ],
    "a violated allOf": [
      { type: "string", allOf: [{ minLength: 1 }, { pattern: "^x" }] },
      "y",
      [
        "f: Invalid value: \"y\": f in body should match '^x'",
        '<nil>: Invalid value: "": "f" must validate all the schemas (allOf)',
      ],
    ],
    anyOf: [{ type: "string", anyOf: [{ pattern: "^x" }, { maxLength: 1 }] }, "y", []],
    "a violated anyOf": [
      { type: "string", anyOf: [{ pattern: "^x" }, { maxLength: 1 }] },
      "yy",
      [
        '<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)',
        "f: Invalid value: \"yy\": f in body should match '^x'",
      ],
    ],
    oneOf: [
      { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }], properties: { a: {}, b: {} } },
      { a: 1 },
      [],
    ],
    "oneOf with two matches": [
      { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }], properties: { a: {}, b: {} } },
      { a: 1, b: 1 },
      ['<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    "oneOf without a match": [
      { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }], properties: { a: {}, b: {} } },
      {},
      [
        '<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found none valid',
        "f.a: Required value",
      ],
    ],
    not: [
      { type: "string", not: { enum: ["x"] } },
      "x",
      ['<nil>: Invalid value: "": "f" must not validate the schema (not)'],
    ],
  };
  for (const [name, [schema, value, issues]] of Object.entries(cases)) {
    it(name, () => expect(issuesOf(schema, value)).toEqual(issues));
  }

  it("reports all issues together", () => {
    const schema = compileSchema({
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string" },
        size: { type: "integer", minimum: 1 },
        tags: { type: "array", items: { type: "string" } },
      },
    });
    expect(walkValue(schema, { size: 0, tags: ["a", 1] }).issues.map((issue) => issue.field)).toEqual([
      "size",
      "tags[1]",
      "name",
    ]);
  });

  it("takes linear time over a hostile pattern", () => {
    const compiled = compileSchema({ type: "string", pattern: "^(a+)+$" });
    expect(walkValue(compiled, `${"a".repeat(5000)}b`).issues).toHaveLength(1);
  });
});

describe("formats", () => {
  const cases: Record<string, [good: string[], bad: string[]]> = {
    "date-time": [
      ["2026-01-01T00:00:00Z", "2024-02-29t23:59:59.9z", "2026-01-01T00:00:00+99:99"],
      ["2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "x"],
    ],
    date: [["2026-01-31"], ["2026-04-31", "26-01-01"]],
    byte: [
      ["aGk=", "aGkh"],
      ["", "aGk", "a?=="],
    ],
    uuid: [["7d0f3d0a-95b5-4a31-9d6f-0c6b6f5b1e2a"], ["7d0f"]],
    duration: [
      ["1h30m", "0", "1.5s", "1.s", ".5s", "3 days", "2weeks", "5M", "in 3 minutes"],
      ["1", "h", "", "1x", "99999999999999999999h"],
    ],
    ipv4: [
      ["10.0.0.1", "01.2.3.4", "::ffff:1.2.3.4"],
      ["256.0.0.1", "1.2.3", "::1"],
    ],
    ipv6: [
      ["::1", "fe80::1:2", "1:2:3:4:5:6:7:8", "::ffff:10.0.0.1"],
      ["1::2::3", "12345::", "1:2:3", "::ffff:01.0.0.1", "fe80::1%en0", "::1:"],
    ],
    cidr: [
      ["10.0.0.0/8", "fe80::/10", "010.0.0.0/08"],
      ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/8/8", "::/129", "/8"],
    ],
    hostname: [
      ["a.example.com", "a-b", "ü.com", "1"],
      ["-a", "a..b", "a.b", "a-b-c", "my.host1", "a_b", "x".repeat(64)],
    ],
    mac: [
      ["00:1b:63:84:45:e6", "00-1b-63-84-45-e6", "001b.6384.45e6", "02:00:5e:10:00:00:00:01"],
      ["00:1b", "00:1b-63:84:45:e6", "0:1:2:3:4:5"],
    ],
    email: [
      ["a@b.c", "Ann <ann@b.c>", '"a b"@c', "a@[1.2.3.4]"],
      ["a", "a b@c", "a..b@c", "a@[x]", "Ann <ann@b", "a@b, c@d"],
    ],
    uri: [
      ["https://a.b/c", "/path", "urn:x", "http://[::1]:80/", "http://a/b c", "*"],
      ["no uri", "", ":a", "http://a b/", "/a%zz", "http://a:x/", "http://[::1"],
    ],
    uuid4: [["7d0f3d0a-95b5-4a31-9d6f-0c6b6f5b1e2a"], ["7d0f3d0a-95b5-3a31-9d6f-0c6b6f5b1e2a"]],
    isbn: [
      ["0321751043", "978-0321751041", "080442957X"],
      ["0321751044", "978-0321751042"],
    ],
    creditcard: [["4111 1111 1111 1111"], ["4111 1111 1111 1112"]],
    ssn: [["111-11-1111"], ["111111111"]],
    hexcolor: [["#fff", "C0FFEE"], ["#ffff"]],
    rgbcolor: [["rgb(255, 1 ,2)"], ["rgb(256,0,0)"]],
    bsonobjectid: [["507f1f77bcf86cd799439011"], ["507f1f77"]],
    password: [["", "x"], []],
  };
  for (const [format, [good, bad]] of Object.entries(cases)) {
    it(format, () => {
      for (const value of good) expect([value, issuesOf({ type: "string", format }, value)]).toEqual([value, []]);
      for (const value of bad) expect([value, issuesOf({ type: "string", format }, value).length]).toEqual([value, 1]);
    });
  }
});

describe("defaults and pruning", () => {
  const schema = compileSchema({
    type: "object",
    properties: {
      spec: {
        type: "object",
        default: {},
        properties: {
          mode: { type: "string", default: "Enforce" },
          limits: {
            type: "object",
            additionalProperties: { type: "object", properties: { max: { type: "integer", default: 3 } } },
          },
          items: { type: "array", items: { type: "object", properties: { key: { type: "string", default: "" } } } },
          nothing: { type: "string", nullable: true },
          anything: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
          embedded: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            properties: { spec: { type: "object" } },
          },
        },
      },
    },
  });

  const cases: Record<string, [before: JsonValue, after: JsonValue, unknown: string[]]> = {
    "fills defaults, also inside a default": [{}, { spec: { mode: "Enforce" } }, []],
    "fills defaults in maps and lists": [
      { spec: { mode: "x", limits: { a: {} }, items: [{}, { key: "k" }] } },
      { spec: { mode: "x", limits: { a: { max: 3 } }, items: [{ key: "" }, { key: "k" }] } },
      [],
    ],
    "treats a null as missing": [{ spec: { mode: null, items: null } }, { spec: { mode: "Enforce" } }, []],
    "keeps a null in a nullable field": [
      { spec: { mode: "x", nothing: null } },
      { spec: { mode: "x", nothing: null } },
      [],
    ],
    "drops unknown fields and reports their paths": [
      { spec: { mode: "x", extra: 1, items: [{ key: "", more: {} }] }, status: {} },
      { spec: { mode: "x", items: [{ key: "" }] } },
      ["spec.extra", "spec.items[0].more", "status"],
    ],
    "keeps preserved unknown fields": [
      { spec: { mode: "x", anything: { a: { b: [1] } } } },
      { spec: { mode: "x", anything: { a: { b: [1] } } } },
      [],
    ],
    "keeps the fields of objects, embedded ones too": [
      {
        apiVersion: "v1",
        kind: "K",
        metadata: { name: "n" },
        spec: { mode: "x", embedded: { kind: "E", metadata: {}, other: 1 } },
      },
      {
        apiVersion: "v1",
        kind: "K",
        metadata: { name: "n" },
        spec: { mode: "x", embedded: { kind: "E", metadata: {} } },
      },
      ["spec.embedded.other"],
    ],
  };
  for (const [name, [before, after, unknown]] of Object.entries(cases)) {
    it(name, () => {
      const original = structuredClone(before);
      const walked = walkObject(schema, before);
      expect(walked).toEqual({ value: after, issues: [], unknownFields: unknown });
      expect(before).toEqual(original);
    });
  }

  it("returns the identical object when nothing changes", () => {
    const object = { apiVersion: "v1", kind: "K", metadata: {}, spec: { mode: "x", items: [{ key: "a" }] } };
    expect(walkObject(schema, object).value).toBe(object);
  });

  it("never shares a default between objects", () => {
    const first = walkObject(schema, {}).value as { spec: object };
    const second = walkObject(schema, {}).value as { spec: object };
    expect(first.spec).not.toBe(second.spec);
  });

  it("treats a field __proto__ like any other", () => {
    const value = readJson('{"spec":{"__proto__":{"mode":"y"},"constructor":1}}');
    const walked = walkObject(schema, value);
    expect(walked.unknownFields).toEqual(["spec.__proto__", "spec.constructor"]);
    expect(walked.value).toEqual({ spec: { mode: "Enforce" } });
  });
});

describe("special cases of Kubernetes", () => {
  const cases: Record<string, [schema: Schema, before: JsonValue, after: JsonValue, unknown: string[]]> = {
    "a null in a map takes the default of its values": [
      { type: "object", additionalProperties: { type: "string", default: "d" } },
      { a: null },
      { a: "d" },
      [],
    ],
    "a null in a map without a default is dropped": [
      { type: "object", additionalProperties: { type: "string" } },
      { a: null, b: "" },
      { b: "" },
      [],
    ],
    "a null in a list takes the default of its items": [
      { type: "array", items: { type: "string", default: "d" } },
      [null, "x"],
      ["d", "x"],
      [],
    ],
    "a null in a nullable field is not defaulted": [
      { type: "object", properties: { a: { type: "string", nullable: true, default: "d" } } },
      { a: null },
      { a: null },
      [],
    ],
    "a map without a value schema keeps its members, and nothing below them": [
      { type: "object", additionalProperties: true },
      { a: { b: 1 }, c: [{ d: 1 }], e: 1 },
      { a: {}, c: [{}], e: 1 },
      ["f.a.b", "f.c[0].d"],
    ],
    "an object instead of a string is emptied": [{ type: "string" }, { a: 1 }, {}, ["f.a"]],
    "known fields are pruned below preserved unknown fields": [
      {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { a: { type: "object", properties: { b: { type: "string" } } } },
      },
      { a: { b: "", c: 1 }, x: { y: 1 } },
      { a: { b: "" }, x: { y: 1 } },
      ["f.a.c"],
    ],
    "items of a list that preserves unknown fields preserve them too": [
      {
        type: "array",
        "x-kubernetes-preserve-unknown-fields": true,
        items: { type: "object", properties: { a: { type: "string" } } },
      },
      [{ a: "", b: 1 }],
      [{ a: "", b: 1 }],
      [],
    ],
    "metadata that is null is empty": [
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      { kind: "K", metadata: null },
      { kind: "K", metadata: {} },
      [],
    ],
  };
  for (const [name, [schema, before, after, unknown]] of Object.entries(cases)) {
    it(name, () => {
      const walked = walkValue(compileSchema(text(schema)), { f: before });
      expect([walked.value, walked.unknownFields]).toEqual([{ f: after }, unknown]);
    });
  }

  it("accepts deeply nested arrays", () => {
    let nested: JsonValue = [];
    for (let depth = 0; depth < 50_000; depth += 1) nested = [nested];
    expect(issuesOf({ type: "object", additionalProperties: true }, nested)).toHaveLength(1);
  });
});

describe("an update", () => {
  const schema = compileSchema({
    type: "object",
    properties: {
      a: { type: "string", maxLength: 1 },
      list: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: { k: { type: "string" }, v: { type: "integer", maximum: 1 } } },
      },
      atomic: { type: "array", items: { type: "integer", maximum: 1 } },
      any: { type: "integer", anyOf: [{ maximum: 1 }] },
      loose: { type: "object", maxProperties: 1, "x-kubernetes-preserve-unknown-fields": true },
    },
  });
  const cases: Record<string, [old: JsonValue, value: JsonValue, fields: string[]]> = {
    "may keep an invalid value": [{ a: "long" }, { a: "long" }, []],
    "may not change it to another invalid value": [{ a: "long" }, { a: "longer" }, ["a"]],
    "correlates items by their keys": [
      {
        list: [
          { k: "a", v: 5 },
          { k: "b", v: 5 },
        ],
      },
      {
        list: [
          { k: "b", v: 5 },
          { k: "a", v: 6 },
        ],
      },
      ["list[1].v"],
    ],
    "compares a list without keys as a whole": [{ atomic: [5, 6] }, { atomic: [5, 6] }, []],
    "treats all items of a changed list without keys as changed": [
      { atomic: [5, 6] },
      { atomic: [6, 5] },
      ["atomic[0]", "atomic[1]"],
    ],
    "may keep a value that violates anyOf": [{ any: 5 }, { any: 5 }, []],
    "does not ratchet values without a schema": [{ loose: { a: 1, b: 1 } }, { loose: { a: 1, b: 1 } }, ["loose"]],
  };
  for (const [name, [old, value, fields]] of Object.entries(cases)) {
    it(name, () => expect(schemaIssues(schema, value, { old }).map((issue) => issue.field)).toEqual(fields));
  }
});

describe("the inferred type", () => {
  it("is the type that the walker returns", () => {
    const schema = {
      type: "object",
      required: ["name", "amount"],
      properties: {
        name: { type: "string" },
        amount: { type: "integer", format: "int64" },
        count: { type: "integer" },
        mode: { type: "string", enum: ["Enforce", "Shadow"], default: "Enforce" },
        labels: { type: "object", additionalProperties: { type: "string" } },
        items: { type: "array", items: { type: "object", required: ["on"], properties: { on: { type: "boolean" } } } },
        gone: { type: "string", nullable: true },
        port: { "x-kubernetes-int-or-string": true },
      },
    } as const satisfies Schema;
    interface Expected {
      readonly name: string;
      readonly amount: number | bigint;
      readonly count?: number;
      readonly mode: "Enforce" | "Shadow";
      readonly labels?: Readonly<Record<string, string>>;
      readonly items?: readonly { readonly on: boolean }[];
      readonly gone?: string | null;
      readonly port?: number | bigint | string;
    }
    expectTypeOf<Infer<typeof schema>>().toExtend<Expected>();
    expectTypeOf<Expected>().toExtend<Infer<typeof schema>>();
  });
});
