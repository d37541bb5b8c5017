import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { Schema } from "@milo-quota/kubernetes/schema/structural-schema.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTooDeep } from "../patch-errors.ts";
import { changeShape } from "./change-shape.ts";
import { compareObjects } from "./compare-objects.ts";
import { passesFastTypeCheck } from "./fast-type-check.ts";
import { pathString, pathsOf } from "./field-set.ts";
import { mergeTypeOf } from "./merge-type.ts";
import { type Shape, ShapeTree } from "./shape-tree.ts";
import { typeFault } from "./type-issues.ts";

const text = { type: "string" } as const;
const schema: Schema = {
  type: "object",
  properties: {
    count: { type: "integer" },
    data: { type: "object", additionalProperties: text },
    whole: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
    atoms: { type: "array", items: text },
    tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    ports: {
      type: "array",
      items: { type: "object", properties: { port: { type: "integer" }, hint: text } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port"],
    },
    hosts: {
      type: "array",
      items: { type: "object", properties: { name: text, zone: text, hint: text } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "zone"],
    },
    size: { "x-kubernetes-int-or-string": true },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};
const type = mergeTypeOf(schema);

const name = fc.constantFrom("a", "b", "1:a");
const port = fc.oneof({ weight: 9, arbitrary: fc.record({ port: fc.nat(1), hint: name }) }, fc.constant({ hint: "a" }));
const host = fc.record({ name, zone: fc.constantFrom("a", "b"), hint: name }, { requiredKeys: ["name"] });
const side = fc.record(
  {
    count: fc.oneof(fc.nat(1), fc.constantFrom(null, "x")),
    data: fc.oneof(fc.dictionary(name, name, { maxKeys: 2 }), fc.constant(null)),
    whole: fc.dictionary(name, name, { maxKeys: 1 }),
    atoms: fc.array(name, { maxLength: 1 }),
    tags: fc.array(name, { maxLength: 2 }),
    ports: fc.array(port, { maxLength: 2 }),
    hosts: fc.array(host, { maxLength: 3 }),
    size: fc.constantFrom(1, "1", null),
    free: fc.dictionary(name, fc.oneof(fc.nat(1), fc.constantFrom(null, {}, [], { a: 1 })), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

/** Few fields, so that some changes have the same shape. */
const small = side.map((object) => Object.fromEntries(Object.entries(object).slice(0, 2)) as JsonObject);

const shapes = new ShapeTree<unknown>(1_000_000);

function shapeOf(before: JsonObject, after: JsonObject): Shape<unknown> | undefined {
  return changeShape(shapes.root, type, { before, after });
}

function outcome(before: JsonObject, after: JsonObject): string {
  const { added, modified, removed } = compareObjects(type, before, after);
  return [added, modified, removed].map((set) => pathsOf(set).map(pathString).join(" ")).join(" | ");
}

const hosted = (first: string, zone: string, hint = "") => ({ hosts: [{ name: first, zone, hint }] });

describe("change shapes", () => {
  it("are equal only for changes that add, modify and remove the same fields", () => {
    const outcomes = new Map<Shape<unknown>, string>();
    let seenAgain = 0;
    fc.assert(
      fc.property(small, small, fc.boolean(), (before, changed, isSharing) => {
        const after = isSharing ? { ...before, ...changed } : changed;
        const shape = shapeOf(before, after);
        if (shape === undefined) return;
        const known = outcomes.get(shape);
        const now = outcome(before, after);
        if (known !== undefined) {
          seenAgain += 1;
          expect(now).toBe(known);
        }
        outcomes.set(shape, now);
      }),
      { numRuns: 5_000 },
    );
    expect(seenAgain).toBeGreaterThan(100);
  });

  const pairs: Record<string, [before: JsonObject, after: JsonObject, like: [JsonObject, JsonObject], alike: boolean]> =
    {
      "are equal for changes that differ in values only": [
        { count: 1 },
        { count: 2 },
        [{ count: 5 }, { count: 6 }],
        true,
      ],
      "differ if one change has no effect": [{ count: 1 }, { count: 2 }, [{ count: 5 }, { count: 5 }], false],
      "differ if items have other names": [{}, { tags: ["a"] }, [{}, { tags: ["b"] }], false],
      "differ if one change adds a field and another removes it": [{ count: 1 }, {}, [{}, { count: 1 }], false],
      "differ if items have other keys": [{}, hosted("ab", "c"), [{}, hosted("a", "bc")], false],
      "are equal for changes that differ in values of items only": [
        {},
        hosted("a", "b", "1"),
        [{}, hosted("a", "b", "2")],
        true,
      ],
      "are equal for atomic lists of any length": [{}, { atoms: ["a"] }, [{}, { atoms: ["b", "c"] }], true],
    };
  for (const [title, [before, after, [otherBefore, otherAfter], alike]] of Object.entries(pairs)) {
    it(title, () => {
      const same = shapeOf(before, after) === shapeOf(otherBefore, otherAfter);
      expect(same).toBe(alike);
    });
  }

  it("are undefined when an object has the wrong type", () => {
    expect(shapeOf({ count: 1 }, { count: [] })).toBeUndefined();
    expect(shapeOf({}, { tags: ["a", "a"] })).toBeUndefined();
    const host = { name: "a", zone: "b" };
    expect(shapeOf({}, { hosts: [host, { ...host }] })).toBeUndefined();
    expect(shapeOf({}, { hosts: [host, host] })).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`key-${i}`, ""]));
    expect(shapeOf({}, { data: many })).toBeUndefined();
  });
});

describe("a value that passes the fast type check", () => {
  it("matches its type", () => {
    let seen = 0;
    fc.assert(
      fc.property(side, (object) => {
        if (!passesFastTypeCheck(type, object)) return;
        seen += 1;
        expect(typeFault(type, object, "allowed")).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
    expect(seen).toBeGreaterThan(50);
  });

  it("is not nested too deeply", () => {
    const deep = Array.from({ length: 2_000 }).reduce<JsonObject>((inner) => ({ a: inner }), {});
    expect(passesFastTypeCheck(type, { free: deep })).toBe(false);
    expect(isTooDeep({ free: deep })).toBe(true);
  });
});
