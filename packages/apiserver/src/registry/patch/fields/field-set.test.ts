import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  difference,
  equalSets,
  type FieldPath,
  hasPath,
  intersection,
  isEmptySet,
  pathString,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
} from "./field-set.ts";
import { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";
import {
  fieldElement,
  indexElement,
  keyElement,
  type PathElement,
  PathElementError,
  valueElement,
} from "./path-element.ts";

const name = fc.constantFrom("a", "b", "c", "__proto__", "é", "<&>");
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  name,
  fc.boolean(),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 60n + 2n }),
);
const element: fc.Arbitrary<PathElement> = fc.oneof(
  name.map(fieldElement),
  fc
    .dictionary(fc.constantFrom("x", "y"), scalar, { minKeys: 1, maxKeys: 2 })
    .map((key) => keyElement(key as JsonObject)),
  scalar.map(valueElement),
  fc.nat(3).map(indexElement),
);
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const set = fc.array(path, { maxLength: 8 }).map((paths) => setOf(...paths));

describe("field sets", () => {
  const laws: Record<
    string,
    (a: ReturnType<typeof setOf>, b: ReturnType<typeof setOf>, c: ReturnType<typeof setOf>) => boolean
  > = {
    "union is commutative": (a, b) => equalSets(union(a, b), union(b, a)),
    "union is associative": (a, b, c) => equalSets(union(union(a, b), c), union(a, union(b, c))),
    "union is idempotent": (a) => equalSets(union(a, a), a),
    "intersection is commutative": (a, b) => equalSets(intersection(a, b), intersection(b, a)),
    "intersection distributes over union": (a, b, c) =>
      equalSets(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c))),
    "a set without itself is empty": (a) => isEmptySet(difference(a, a)),
    "a difference is disjoint from the subtracted set": (a, b) => isEmptySet(intersection(difference(a, b), b)),
    "difference and intersection partition a set": (a, b) => equalSets(union(difference(a, b), intersection(a, b)), a),
    "the recursive difference is the smaller one": (a, b) =>
      equalSets(intersection(recursiveDifference(a, b), difference(a, b)), recursiveDifference(a, b)),
    "a set is the union of its paths": (a) => equalSets(setOf(...pathsOf(a)), a),
    "every path of a set is in it": (a) => pathsOf(a).every((each) => hasPath(a, each)),
    "FieldsV1 round-trips": (a) => equalSets(readFieldsV1(JSON.parse(JSON.stringify(writeFieldsV1(a)))), a),
  };
  for (const [law, holds] of Object.entries(laws)) {
    it(law, () => fc.assert(fc.property(set, set, set, holds)));
  }

  it("removes fields with or without their children", () => {
    const [a, b] = [fieldElement("a"), fieldElement("b")];
    const whole = setOf([a], [a, b]);
    expect(pathsOf(difference(whole, setOf([a]))).map(pathString)).toEqual([".a.b"]);
    expect(isEmptySet(recursiveDifference(whole, setOf([a])))).toBe(true);
    expect(pathsOf(difference(whole, setOf([a, b]))).map(pathString)).toEqual([".a"]);
  });

  it("lists the members of a level before its children, fields before keys before values before indices", () => {
    const paths: FieldPath[] = [
      [indexElement(2)],
      [valueElement("x")],
      [valueElement(10)],
      [valueElement(9)],
      [valueElement(true)],
      [keyElement({ port: 80, name: "a" })],
      [fieldElement("z")],
      [fieldElement("a"), fieldElement("b")],
    ];
    const texts = [".z", '[name="a",port=80]', "[=9]", "[=10]", '[="x"]', "[=true]", "[2]", ".a.b"];
    expect(pathsOf(setOf(...paths)).map(pathString)).toEqual(texts);
  });

  it("prints numbers that were read as Go prints floats", () => {
    expect(pathString([keyElement({ id: 1_000_000 })])).toBe("[id=1e+06]");
    expect(pathString([keyElement({ id: 0.00001 })])).toBe("[id=1e-05]");
    expect(pathString([keyElement({ id: 65_535 })])).toBe("[id=65535]");
  });
});

describe("FieldsV1", () => {
  it("is written in order, with dots where a field is owned beside what is below it", () => {
    const [spec, list] = [fieldElement("spec"), fieldElement("list")];
    const item = keyElement({ protocol: "TCP", port: 80 });
    const fields = writeFieldsV1(
      setOf([spec, list, item], [spec, list, item, fieldElement("port")], [spec, fieldElement("a<b")], [spec]),
    );
    expect(JSON.stringify(fields)).toBe(
      JSON.stringify({
        "f:spec": {
          ".": {},
          "f:a<b": {},
          "f:list": { 'k:{"port":80,"protocol":"TCP"}': { ".": {}, "f:port": {} } },
        },
      }),
    );
  });

  const same: Record<string, [text: string, written: string]> = {
    "keys in another order and with spaces": ['{"k:{\\"b\\": 1, \\"a\\":2}":{}}', '{"k:{\\"a\\":2,\\"b\\":1}":{}}'],
    "null for nothing below": ['{"f:a":null}', '{"f:a":{}}'],
    "path elements of unknown kinds": ['{"x:new":{},"f:a":{"y:new":{"f:b":{}}}}', '{"f:a":{}}'],
    "escapes of HTML": ['{"v:\\"<\\"":{}}', '{"v:\\"\\\\u003c\\"":{}}'],
    "no fields": ["{}", "{}"],
  };
  for (const [what, [text, written]] of Object.entries(same)) {
    it(`reads ${what}`, () => expect(JSON.stringify(writeFieldsV1(readFieldsV1(JSON.parse(text))))).toBe(written));
  }

  const faults: Record<string, [fields: unknown, fault: string]> = {
    "a short key": [{ f: {} }, "key must be 2 characters long:"],
    "a key without a colon": [{ fa: {} }, "missing colon: fa"],
    "a bad index": [{ "i:x": {} }, 'strconv.Atoi: parsing "x": invalid syntax'],
    "a key that is not an object": [{ "k:[1]": {} }, "expect object in k:[1]"],
    "malformed JSON": [{ "v:{": {} }, "Expected property name"],
    "a list below": [{ "f:a": [] }, "expect object"],
  };
  for (const [what, [fields, fault]] of Object.entries(faults)) {
    it(`rejects ${what}`, () => {
      expect(() => readFieldsV1(fields as JsonObject)).toThrow(PathElementError);
      expect(() => readFieldsV1(fields as JsonObject)).toThrow(fault);
    });
  }

  it("limits the nesting of fields", () => {
    const deep = Array.from({ length: 1_100 }).reduce<JsonObject>((below) => ({ "f:a": below }), {});
    expect(() => readFieldsV1(deep)).toThrow("exceeded max depth");
  });
});
