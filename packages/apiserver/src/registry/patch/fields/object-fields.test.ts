import type { JsonObject, JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareObjects } from "./compare-objects.ts";
import { pathString, pathsOf } from "./field-set.ts";
import { mergeObjects } from "./merge-objects.ts";
import { deducedType, mergeTypeOf } from "./merge-type.ts";
import { fieldsOf } from "./object-fields.ts";
import { typeFault } from "./type-issues.ts";

const text = { type: "string" } as const;
const schema: Schema = {
  type: "object",
  properties: {
    count: { type: "integer" },
    on: { type: "boolean" },
    data: { type: "object", additionalProperties: text },
    inner: { type: "object", properties: { a: text, b: { type: "object", properties: { c: text } } } },
    whole: { type: "object", properties: { a: text }, "x-kubernetes-map-type": "atomic" },
    atoms: { type: "array", items: text },
    tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    ports: {
      type: "array",
      items: {
        type: "object",
        properties: { port: { type: "integer" }, protocol: { ...text, default: "TCP" }, hint: text },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
    },
    size: { "x-kubernetes-int-or-string": true },
    free: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { x: text } } },
    },
    pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
};
const type = mergeTypeOf(schema);
const paths = (set: ReturnType<typeof fieldsOf>): string => pathsOf(set).map(pathString).join(" ");

describe("the fields of an object", () => {
  const cases: Record<string, [object: JsonObject, fields: string]> = {
    "are its leaves": [{ count: 1, inner: { a: "x" } }, ".count .inner.a"],
    "are members of maps and the values in them": [{ data: { k: "v" } }, ".data.k"],
    "are empty structs": [{ inner: {}, data: {} }, ".data .inner"],
    "are nulls": [{ count: null, inner: { b: null }, tags: null }, ".count .tags .inner.b"],
    "are atomic lists and maps as a whole": [{ atoms: ["a"], whole: { a: "x" } }, ".atoms .whole"],
    "are the items of a set": [{ tags: ["b", "a"] }, '.tags[="a"] .tags[="b"]'],
    "do not include empty associative lists": [{ tags: [] }, ""],
    "are items by their keys, with defaults": [
      { ports: [{ port: 80, hint: "x" }] },
      '.ports[port=80,protocol="TCP"] .ports[port=80,protocol="TCP"].hint .ports[port=80,protocol="TCP"].port',
    ],
    "are duplicate items as one": [
      { ports: [{ port: 80, hint: "x" }, { port: 80 }] },
      '.ports[port=80,protocol="TCP"]',
    ],
    "are unknown fields and their content": [
      { free: { known: { x: "1" }, other: { y: [1] } } },
      ".free.other .free.known.x .free.other.y",
    ],
    "are those of metadata regardless of the schema": [
      { metadata: { name: "x", labels: { a: "b" }, finalizers: ["f"], ownerReferences: [{ uid: "1", name: "o" }] } },
      '.metadata.name .metadata.finalizers[="f"] .metadata.labels.a .metadata.ownerReferences[uid="1"]',
    ],
    "are those of an embedded object": [
      { pod: { metadata: { finalizers: ["f"] }, spec: { a: 1 } } },
      '.pod.spec .pod.metadata.finalizers[="f"] .pod.spec.a',
    ],
    "are numbers or strings": [{ size: "5%" }, ".size"],
  };
  for (const [name, [object, fields]] of Object.entries(cases)) {
    it(name, () => expect(paths(fieldsOf(type, object))).toBe(fields));
  }

  it("are deduced without a schema: maps merge, lists are atomic", () => {
    expect(paths(fieldsOf(deducedType, { a: { b: 1, c: [{ name: "x" }] } }))).toBe(".a .a.b .a.c");
  });
});

describe("comparing two objects", () => {
  const cases: Record<
    string,
    [before: JsonObject, after: JsonObject, added: string, modified: string, removed: string]
  > = {
    "ignores equal values": [{ count: 1, tags: ["a", "b"] }, { count: 1, tags: ["b", "a"] }, "", "", ""],
    "reports a changed leaf": [{ count: 1 }, { count: 2 }, "", ".count", ""],
    "adds structs with their content": [{}, { inner: { a: "x" } }, ".inner .inner.a", "", ""],
    "removes maps with their content": [{ data: { k: "v" } }, {}, "", "", ".data .data.k"],
    "compares atomic values as a whole": [
      { atoms: ["a"], whole: { a: "1" } },
      { atoms: ["b"], whole: {} },
      "",
      ".atoms .whole",
      "",
    ],
    "compares items one by one": [{ tags: ["a", "b"] }, { tags: ["b", "c"] }, '.tags[="c"]', "", '.tags[="a"]'],
    "compares the fields of items": [
      { ports: [{ port: 1, hint: "x" }] },
      { ports: [{ port: 1, protocol: "TCP", hint: "y" }] },
      '.ports[port=1,protocol="TCP"].protocol',
      '.ports[port=1,protocol="TCP"].hint',
      "",
    ],
    "distinguishes null from absence": [{ count: null }, {}, "", "", ".count"],
    "reports new duplicates": [{ tags: ["a"] }, { tags: ["a", "a"] }, '.tags[="a"]', "", '.tags[="a"]'],
    "reports changed duplicates": [
      { ports: [{ port: 1 }, { port: 1, hint: "x" }] },
      { ports: [{ port: 1 }, { port: 1, hint: "y" }] },
      "",
      '.ports[port=1,protocol="TCP"]',
      "",
    ],
    "reports a value that changes its type": [
      { free: { a: 1 } },
      { free: { a: { b: 1 } } },
      ".free.a.b",
      ".free.a",
      "",
    ],
  };
  for (const [name, [before, after, ...expected]] of Object.entries(cases)) {
    it(name, () => {
      const { added, modified, removed } = compareObjects(type, before, after);
      expect([added, modified, removed].map(paths)).toEqual(expected);
    });
  }
});

describe("merging a configuration into an object", () => {
  const cases: Record<string, [live: JsonObject, applied: JsonObject, merged: JsonObject]> = {
    "keeps what it does not mention": [{ count: 1, on: true }, { count: 2 }, { count: 2, on: true }],
    "merges maps": [{ data: { a: "1" } }, { data: { b: "2" } }, { data: { a: "1", b: "2" } }],
    "replaces atomic lists and maps": [
      { atoms: ["a"], whole: { a: "1" } },
      { atoms: [], whole: {} },
      { atoms: [], whole: {} },
    ],
    "inserts items into sets at their position": [
      { tags: ["a", "c"] },
      { tags: ["c", "b"] },
      { tags: ["a", "c", "b"] },
    ],
    "orders common items as applied": [{ tags: ["a", "x", "b"] }, { tags: ["b", "a"] }, { tags: ["x", "b", "a"] }],
    "merges items by key": [
      { ports: [{ port: 1, hint: "x" }, { port: 2 }] },
      { ports: [{ port: 2, protocol: "TCP", hint: "y" }] },
      {
        ports: [
          { port: 1, hint: "x" },
          { port: 2, protocol: "TCP", hint: "y" },
        ],
      },
    ],
    "replaces duplicates by the one applied": [
      {
        ports: [
          { port: 1, hint: "x" },
          { port: 1, hint: "y" },
        ],
      },
      { ports: [{ port: 1 }] },
      { ports: [{ port: 1 }] },
    ],
    "keeps a map when null is applied": [{ data: { a: "1" } }, { data: null }, { data: { a: "1" } }],
    "replaces a leaf by null": [{ count: 1 }, { count: null }, { count: null }],
    "keeps empty maps": [{ data: {} }, { count: 1 }, { data: {}, count: 1 }],
  };
  for (const [name, [live, applied, merged]] of Object.entries(cases)) {
    it(name, () => expect(mergeObjects(type, live, applied)).toEqual(merged));
  }

  it("is idempotent, changes neither side, and removes nothing", () => {
    const name = fc.constantFrom("a", "b", "c");
    const side = fc.record(
      {
        count: fc.nat(2),
        data: fc.dictionary(name, name),
        tags: fc.uniqueArray(name),
        atoms: fc.array(name),
        ports: fc.uniqueArray(fc.record({ port: fc.nat(2), hint: name }), { selector: ({ port }) => port }),
        free: fc.dictionary(name, fc.nat(2)),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(side, side, (live, applied) => {
        const before = JSON.stringify([live, applied]);
        const merged = mergeObjects(type, live, applied) as JsonValue;
        expect(mergeObjects(type, merged, applied)).toEqual(merged);
        expect(JSON.stringify([live, applied])).toBe(before);
        if (merged === undefined) return;
        const { removed } = compareObjects(type, live, merged);
        expect(pathsOf(removed)).toEqual([]);
      }),
    );
  });
});

describe("a value that does not match its type", () => {
  const cases: Record<string, [object: JsonObject, fault: string]> = {
    "is a string for a number": [{ count: "x" }, ".count: expected numeric (int or float), got string"],
    "is a number for a string": [{ data: { k: 3 } }, ".data.k: expected string, got number"],
    "is a map for a string": [{ data: { k: { a: "x" } } }, ".data.k: expected string, got object"],
    "is a string for a boolean": [{ on: "x" }, ".on: expected boolean, got string"],
    "is a list for a map": [{ data: [1] }, ".data: expected map, got array"],
    "is a map for a list": [{ tags: { a: 1 } }, ".tags: expected list, got object"],
    "is an undeclared field": [{ bogus: 1 }, ".bogus: field not declared in schema"],
    "repeats an item": [{ tags: ["a", "a"] }, '.tags: duplicate entries for key [="a"]'],
    "has a null in a set": [
      { tags: [null] },
      ".tags: element 0: associative list without keys has an element that's an explicit null",
    ],
    "has a map in a set": [
      { tags: [{}] },
      ".tags: element 0: associative list without keys has an element that's a map type",
    ],
    "is wrong in two ways": [
      { count: "x", atoms: [1] },
      "errors:\n  .atoms[0]: expected string, got number\n  .count: expected numeric (int or float), got string",
    ],
  };
  for (const [name, [object, fault]] of Object.entries(cases)) {
    it(name, () => expect(typeFault(type, object, "forbidden")).toBe(fault));
  }

  it("lacks all keys of an item", () => {
    const keyed: Schema = {
      type: "object",
      properties: {
        list: {
          type: "array",
          items: { type: "object", properties: { name: text, value: text } },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
      },
    };
    expect(typeFault(mergeTypeOf(keyed), { list: [{ value: "x" }] }, "allowed")).toBe(
      '.list: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    );
  });

  it("may have duplicate items in a stored object", () => {
    expect(typeFault(type, { tags: ["a", "a"] }, "allowed")).toBeUndefined();
  });
});
