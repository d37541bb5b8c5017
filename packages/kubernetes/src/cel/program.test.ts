import { describe, expect, it } from "vitest";
import { toJson } from "../../test/plain-json.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullable,
  objectType,
  stringType,
  type Type,
  timestampType,
  uintType,
} from "./cel-type.ts";
import { compile } from "./compile.ts";
import { createEnvironment } from "./environment.ts";
import type { Evaluation } from "./program.ts";
import type { FailureKind } from "./values/failure.ts";
import { Duration, ListValue, Timestamp, Uint, type Value } from "./values/value.ts";

type Variables = Readonly<Record<string, Type>>;

function evaluate(expression: string, bindings: object = {}, variables?: Variables): Evaluation<Value> {
  const declared = variables ?? Object.fromEntries(Object.keys(bindings).map((name) => [name, dynType]));
  const compiled = compile(expression, createEnvironment({ variables: declared }));
  if (!compiled.ok) throw new Error(compiled.issues.map((issue) => issue.message).join("; "));
  return compiled.program.evaluate(bindings as Record<string, unknown>);
}

/** The value as JSON, or the kind of failure. */
function answer(expression: string, bindings?: object, variables?: Variables): unknown {
  const result = evaluate(expression, bindings, variables);
  return result.ok ? toJson(result.value) : { error: result.error.kind };
}

const trigger = JSON.parse(`{
  "metadata": { "name": "one", "labels": { "env": "prod", "a.b/c": "x" }, "annotations": null },
  "spec": { "replicas": 3, "ratio": 1.5, "whole": 2.0, "on": true, "items": [1, 2.5, "x", null, [4], {"k": 5}], "empty": [] },
  "__proto__": { "hidden": 1 }, "constructor": "c", "toString": "t", "length": 7, "0": "zero"
}`) as object;

describe("plain parsed JSON", () => {
  const table: Record<string, [expression: string, value: unknown]> = {
    "is read by field": ["trigger.spec.replicas", 3],
    "is read by key": ['trigger["spec"]["replicas"]', 3],
    "is read by a label key": ['trigger.metadata.labels["a.b/c"]', "x"],
    "is read by a quoted name": ["trigger.metadata.labels.`a.b/c`", "x"],
    "is read by a computed key": ['trigger.metadata.labels[true ? "env" : ""]', "prod"],
    "has ints where numbers are whole": ["type(trigger.spec.replicas) == int", true],
    "has ints for whole numbers written with a decimal point": ["type(trigger.spec.whole) == int", true],
    "has doubles where numbers are fractional": ["type(trigger.spec.ratio) == double", true],
    "has lists": ["size(trigger.spec.items) == 6 && type(trigger.spec.items) == list", true],
    "has maps": ["size(trigger.metadata.labels) == 2 && type(trigger.metadata) == map", true],
    "has elements of every type": [
      "trigger.spec.items.map(x, type(x)) == [int, double, string, null_type, list, map]",
      true,
    ],
    "has explicit nulls": ["has(trigger.metadata.annotations) && trigger.metadata.annotations == null", true],
    "answers has() for an existing field": ["has(trigger.spec.replicas)", true],
    "answers has() for a missing field": ["has(trigger.spec.other)", false],
    "answers has() on null": ["has(trigger.metadata.annotations.team)", false],
    "answers has() on a string": ["has(trigger.metadata.name.first)", false],
    "supports in for keys": ['"env" in trigger.metadata.labels && !("none" in trigger.metadata.labels)', true],
    "supports in for elements": [
      '1 in trigger.spec.items && "x" in trigger.spec.items && [4] in trigger.spec.items',
      true,
    ],
    "is equal to a literal map": ['trigger.metadata.labels == {"env": "prod", "a.b/c": "x"}', true],
    "compares numbers across types": ["trigger.spec.items[0] == 1.0", true],
    "can be iterated": ["trigger.metadata.labels.map(k, k)", ["env", "a.b/c"]],
    "can be iterated in pairs": ["trigger.metadata.labels.transformList(k, v, k + v)", ["envprod", "a.b/cx"]],
    "returns objects unchanged": ["trigger.spec.items[5]", { k: 5 }],
    "returns lists unchanged": ["trigger.spec.items[4]", [4]],
    "can be nested in lists and maps": ['{"a": [trigger.spec.items[5]]}', { a: [{ k: 5 }] }],
  };
  it.each(Object.entries(table))("%s", (_, [expression, value]) => {
    expect(answer(expression, { trigger })).toEqual(value);
  });

  const own: Record<string, [expression: string, value: unknown]> = {
    "__proto__ is a key like any other": ["trigger.__proto__.hidden", 1],
    "constructor is a key like any other": ["trigger.constructor", "c"],
    "toString is a key like any other": ["trigger.toString", "t"],
    "length is a key like any other": ["trigger.length", 7],
    "a number in quotes is a key like any other": ['trigger["0"]', "zero"],
    "an inherited __proto__ is missing": ["has(trigger.spec.__proto__)", false],
    "an inherited constructor is missing": ["trigger.spec.constructor", { error: "missing-key" }],
    "an inherited toString is missing": ['trigger.spec["toString"]', { error: "missing-key" }],
    "an inherited hasOwnProperty is missing": ['"hasOwnProperty" in trigger.spec', false],
    "a list has no length to select": ["trigger.spec.items.length", { error: "no-such-overload" }],
    "a list has no keys in quotes": ['trigger.spec.items["0"]', { error: "no-such-overload" }],
    "an object without a prototype is an object": ["bare.a", 1],
    "a key __proto__ is kept in a literal map": ['{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
  };
  it.each(Object.entries(own))("%s", (_, [expression, value]) => {
    const bare: unknown = Object.assign(Object.create(null), { a: 1 });
    expect(answer(expression, { trigger, bare })).toEqual(value);
  });

  it("is not converted before it is read", () => {
    const untouched = {
      get exploding(): never {
        throw new Error("read");
      },
      fine: 1,
    };
    expect(answer("trigger.fine", { trigger: untouched })).toBe(1);
  });

  const numbers: Record<string, [number: number | bigint, type: string]> = {
    "a safe integer is an int": [2 ** 53 - 1, "int"],
    "an integer that may have been rounded is a double": [2 ** 53, "double"],
    "an exact integer within int64 is an int": [2n ** 63n - 1n, "int"],
    "an exact integer beyond int64 is a double": [2n ** 63n, "double"],
    "minus zero is an int": [-0, "int"],
    "a fraction is a double": [0.5, "double"],
  };
  it.each(Object.entries(numbers))("%s", (_, [number, type]) => {
    expect(answer("type(n)", { n: number })).toBe(type);
    expect(answer("type(o.n)", { o: { n: number } })).toBe(type);
    expect(answer("type(o.n[0])", { o: { n: [number] } })).toBe(type);
  });
});

describe("JSON with a declared type", () => {
  const widget = objectType("Widget", {
    weight: doubleType,
    weights: listType(doubleType),
    shares: mapType(stringType, doubleType),
    nested: listType(objectType("Part", { weight: doubleType })),
    created: timestampType,
    born: timestampType,
    ttl: durationType,
    secret: bytesType,
    note: nullable(doubleType),
    count: uintType,
  });
  const self = {
    weight: 1,
    weights: [1, 2.5],
    shares: { a: 1 },
    nested: [{ weight: 3 }],
    created: "2024-05-01T00:00:00Z",
    born: "2024-02-29",
    ttl: "90m",
    secret: "aGk=",
    note: null,
    count: 5,
  };
  const table: Record<string, [expression: string, value: unknown]> = {
    "has doubles where declared": ["self.weight + 0.5", 1.5],
    "has doubles in lists": ["self.weights.sum()", 3.5],
    "has doubles in lists that are iterated": ["self.weights.all(w, type(w) == double)", true],
    "has doubles in maps": ["self.shares['a'] / 2.0", 0.5],
    "has doubles in objects in lists": ["self.nested[0].weight * 2.0", 6],
    "has doubles in objects in lists that are iterated": ["self.nested.all(n, n.weight == 3.0)", true],
    "has timestamps": ["self.created.getFullYear()", 2024],
    "has timestamps for dates": ["self.born.getDate() == 29 && self.born.getHours() == 0", true],
    "has durations": ["self.ttl == duration('1h30m')", true],
    "has bytes": ["string(self.secret)", "hi"],
    "has uints": ["self.count + 1u", 6],
    "has nulls": ["self.note == null", true],
    "has doubles in optional fields": ["self.?weight.orValue(0.0) + 0.5", 1.5],
    "has doubles in optional lists": ["self.?weights[0].orValue(0.0) + 0.5", 1.5],
    "has timestamps in optional fields": ["self.?created.optMap(t, t.getFullYear()).value()", 2024],
  };
  it.each(Object.entries(table))("%s", (_, [expression, value]) => {
    expect(answer(expression, { self }, { self: widget })).toEqual(value);
  });

  const broken: Record<string, [expression: string, self: object, kind: FailureKind]> = {
    "a string that is not a date": ["self.created.getFullYear()", { created: "soon" }, "conversion"],
    "a string that is not base64": ["size(self.secret)", { secret: "%" }, "conversion"],
    "a number for a string": ["self.ttl.getHours()", { ttl: 5 }, "no-such-overload"],
    "a string in a list of numbers": ["self.weights.sum()", { weights: [1, "x"] }, "no-such-overload"],
    "null for a number": ["self.weight + 1.0", { weight: null }, "no-such-overload"],
  };
  it.each(Object.entries(broken))("fails without an exception on %s", (_, [expression, value, kind]) => {
    expect(answer(expression, { self: value }, { self: widget })).toEqual({ error: kind });
  });

  it("accepts variables of CEL types", () => {
    const variables = { t: timestampType, d: durationType, u: uintType, l: listType(intType), x: doubleType };
    const bindings = {
      t: new Timestamp(0n),
      d: new Duration(1_000_000_000n),
      u: new Uint(1n),
      l: new ListValue([1n]),
      x: 2,
    };
    expect(answer("t + d == timestamp(1) && u == 1u && l == [1] && x == 2.0", bindings, variables)).toBe(true);
  });

  it("accepts CEL values inside objects", () => {
    expect(answer("r.time.getFullYear()", { r: { time: new Timestamp(0n) } })).toBe(1970);
    expect(answer("r.time.nanos", { r: { time: new Timestamp(0n) } })).toEqual({ error: "no-such-overload" });
  });
});

describe("a failure", () => {
  type Row = readonly [expression: string, kind: FailureKind, message: string, line: number, column: number];
  const table: readonly Row[] = [
    ["trigger.spec.other", "missing-key", "no such key: other", 1, 13],
    ["trigger.other.deeper", "missing-key", "no such key: other", 1, 8],
    ['trigger.metadata.labels["none"]', "missing-key", "no such key: none", 1, 24],
    ["has(trigger.other.deeper)", "missing-key", "no such key: other", 1, 12],
    ["trigger.metadata.annotations.team", "missing-key", "no such key: team", 1, 29],
    ['trigger.metadata.annotations["team"]', "missing-key", "no such key: team", 1, 29],
    ["{'a': 1}['b']", "missing-key", "no such key: b", 1, 9],
    ["{1: 1}[2]", "missing-key", "no such key: 2", 1, 7],
    ["dyn({'a': 1}).b", "missing-key", "no such key: b", 1, 14],
    ["trigger.metadata.name.first", "no-such-overload", "type 'string' does not support field selection", 1, 22],
    ["has(dyn([1]).a)", "no-such-overload", "type 'list' does not support field selection", 1, 4],
    ["[1][1]", "index-out-of-range", "index out of bounds: 1", 1, 4],
    ["[1][-1]", "index-out-of-range", "index out of bounds: -1", 1, 4],
    ["trigger.spec.items[9]", "index-out-of-range", "index out of bounds: 9", 1, 19],
    ["'abc'.charAt(4)", "index-out-of-range", "index out of range: 4", 1, 13],
    ["[1][dyn(0.5)]", "invalid-argument", "unsupported index value 0.5", 1, 4],
    ["9223372036854775807 + 1", "overflow", "integer overflow", 1, 21],
    ["-9223372036854775807 - 2", "overflow", "integer overflow", 1, 22],
    ["9223372036854775807 * 2", "overflow", "integer overflow", 1, 21],
    ["-9223372036854775808 / -1", "overflow", "integer overflow", 1, 22],
    ["-(-9223372036854775808)", "overflow", "integer overflow", 1, 1],
    ["0u - 1u", "overflow", "unsigned integer overflow", 1, 4],
    ["uint(-1)", "overflow", "integer overflow", 1, 5],
    ["int(1e99)", "overflow", "integer overflow", 1, 4],
    ["timestamp('9999-12-31T23:59:59Z') + duration('1s')", "overflow", "timestamp overflow", 1, 35],
    ["duration('2562047h') + duration('2562047h')", "overflow", "duration overflow", 1, 22],
    ["1 / 0", "division-by-zero", "division by zero", 1, 3],
    ["1u % 0u", "division-by-zero", "modulus by zero", 1, 4],
    ["trigger.spec.replicas + 'a'", "no-such-overload", "no such overload", 1, 23],
    ["trigger.metadata.name < 1", "no-such-overload", "no such overload", 1, 23],
    ["!trigger.metadata.name", "no-such-overload", "no such overload", 1, 1],
    ["trigger.metadata.name && true", "no-such-overload", "no such overload", 1, 23],
    ["trigger.metadata.name ? 1 : 2", "no-such-overload", "no such overload", 1, 23],
    ["trigger.spec.replicas.all(x, true)", "no-such-overload", "no such overload", 1, 26],
    ["trigger.spec.replicas.startsWith('a')", "no-such-overload", "no such overload", 1, 33],
    ["1 in trigger.spec.replicas", "no-such-overload", "no such overload", 1, 3],
    ["int('x')", "conversion", "type conversion error from 'string' to 'int'", 1, 4],
    ["string(b'\\xff')", "conversion", "invalid UTF-8 in bytes, cannot convert to string", 1, 7],
    ["quantity('1K')", "conversion", "unable to parse quantity's suffix", 1, 9],
    ["quantity('1.5').asInteger()", "conversion", "cannot convert value to integer", 1, 26],
    [
      "'a'.matches(trigger.metadata.name + '[')",
      "invalid-argument",
      "error parsing regexp: missing closing ]: `[`",
      1,
      12,
    ],
    ["timestamp(0).getHours('Mars')", "invalid-argument", "unknown time zone Mars", 1, 22],
    ["[].min()", "invalid-argument", "min called on empty list", 1, 7],
    ["optional.none().value()", "invalid-argument", "optional.none() dereference", 1, 22],
    ["{'a': 1, 'a': 2}", "invalid-argument", "duplicate key: a", 1, 1],
    ["{dyn(1.5): 1}", "invalid-argument", "unsupported key type", 1, 1],
    ["trigger.spec\n  .other", "missing-key", "no such key: other", 2, 3],
    ["'😀' + trigger.other", "missing-key", "no such key: other", 1, 14],
  ];
  it.each(table)("of %s is %s: %s", (expression, ...expected) => {
    const result = evaluate(expression, { trigger });
    const error = result.ok ? undefined : result.error;
    expect([error?.kind, error?.message, error?.line, error?.column]).toEqual(expected);
  });

  it("of an unbound variable names it", () => {
    const result = evaluate("missing == 1", {}, { missing: dynType });
    expect(!result.ok && [result.error.kind, result.error.message]).toEqual([
      "unbound-variable",
      "no such attribute(s): missing",
    ]);
  });

  it("of a result with an unexpected type reports it, regardless of the declared types", () => {
    const compiled = compile("trigger.name", createEnvironment({ variables: { trigger: dynType } }), {
      expect: boolType,
    });
    const result = compiled.ok ? compiled.program.evaluate({ trigger: { name: "a" } }) : undefined;
    expect(result && !result.ok && [result.error.kind, result.error.message]).toEqual([
      "unexpected-result",
      "expected type 'bool' but found 'string'",
    ]);
  });
});

describe("logical operators absorb failures", () => {
  const missing = "trigger.missing";
  const zero = "1 / 0 == 1";
  const table: Record<string, [expression: string, value: unknown]> = {
    "false && error": [`false && ${zero}`, false],
    "error && false": [`${zero} && false`, false],
    "error && true": [`${zero} && true`, { error: "division-by-zero" }],
    "true || error": [`true || ${zero}`, true],
    "error || true": [`${zero} || true`, true],
    "error || false": [`${zero} || false`, { error: "division-by-zero" }],
    "the first of two errors, of &&": [`${missing} && ${zero}`, { error: "missing-key" }],
    "the first of two errors, of && the other way round": [`${zero} && ${missing}`, { error: "division-by-zero" }],
    "the first of two errors, of ||": [`${zero} || ${missing}`, { error: "division-by-zero" }],
    "the first of many errors": [`true && ${missing} && ${zero} && true`, { error: "missing-key" }],
    "one false beside errors": [`${missing} && ${zero} && false`, false],
    "one true beside errors": [`${missing} || true || ${zero}`, true],
    "a string is not a boolean": ["dyn('a') || true", true],
    "the branch that is not taken": [`true ? 1 : ${missing}`, 1],
    "the branch that is taken": [`false ? 1 : ${missing}`, { error: "missing-key" }],
    "a failed condition": [`${zero} ? 1 : 2`, { error: "division-by-zero" }],
    "all with one false": ["[0, 1].all(x, 1 / x == 2)", false],
    "all with an error and no false": ["[0, 1].all(x, 1 / x == 1)", { error: "division-by-zero" }],
    "exists with one true": ["[0, 1].exists(x, 1 / x == 1)", true],
    "exists with an error and no true": ["[0, 1].exists(x, 1 / x == 2)", { error: "division-by-zero" }],
    "exists_one never absorbs failures": ["[0, 1].exists_one(x, 1 / x == 1)", { error: "division-by-zero" }],
    "map never absorbs failures": ["[1, 0].map(x, 1 / x)", { error: "division-by-zero" }],
    "filter never absorbs failures": ["[1, 0].filter(x, 1 / x == 1)", { error: "division-by-zero" }],
    "a bound failure that is not used": ["cel.bind(x, 1 / 0, true)", true],
    "a bound failure that is used": ["cel.bind(x, 1 / 0, x == 1)", { error: "division-by-zero" }],
    "a bound failure that || absorbs": ["cel.bind(x, 1 / 0, x == 1 || true)", true],
    "an optional's alternative that is not needed": ["optional.of(1).orValue(1 / 0)", 1],
    "an optional's alternative that is needed": ["optional.none().orValue(1 / 0)", { error: "division-by-zero" }],
    "another optional that is not needed": [`optional.of(1).or(${missing}).value()`, 1],
  };
  it.each(Object.entries(table))("%s", (_, [expression, value]) => {
    expect(answer(expression, { trigger: {} })).toEqual(value);
  });
});

describe("macros", () => {
  const table: Record<string, unknown> = {
    "[1, 2].all(x, x > 0)": true,
    "[].all(x, false)": true,
    "[].exists(x, true)": false,
    "{'a': 1}.all(k, k == 'a')": true,
    "[1, 2, 2].exists_one(x, x == 2)": false,
    "[1, 2, 2].existsOne(x, x == 1)": true,
    "[1, 2, 3].map(x, x % 2 == 1, x * 10)": [10, 30],
    "{'a': 1, 'b': 2}.filter(k, k > 'a')": ["b"],
    "[5, 6].all(i, v, v == i + 5)": true,
    "{'a': 1}.exists(k, v, k == 'a' && v == 1)": true,
    "[5, 5].existsOne(i, v, i == 1)": true,
    "[5, 5].exists_one(i, v, v == 5)": false,
    "[3, 4].transformList(i, v, i == 1, i + v)": [5],
    "{'a': 1}.transformList(k, v, k)": ["a"],
    "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 10)": { b: 20 },
    "['x'].transformMap(i, v, v)": { 0: "x" },
    "{'a': 1}.transformMapEntry(k, v, {string(v): k})": { 1: "a" },
    "[1, 2].transformMapEntry(i, v, v > 1, {'k': v})": { k: 2 },
    "[1].map(x, [2].map(y, [3].map(x, x + y)))": [[[5]]],
    "cel.bind(x, 2, cel.bind(y, x + 1, x * y))": 6,
    "cel.bind(x, 1, cel.bind(x, x + 1, x))": 2,
    "[1].map(x, cel.bind(y, x, [2].map(z, x + y + z)))": [[4]],
    "optional.of(2).optMap(x, x * x).value()": 4,
    "optional.none().optMap(x, x).hasValue()": false,
    "optional.of({'a': 1}).optFlatMap(x, x.?b).hasValue()": false,
    "has({'a': 1}.a) && !has({'a': 1}.b)": true,
  };
  it.each(Object.entries(table))("%s", (expression, value) => {
    expect(answer(expression)).toEqual(value);
  });

  it("shadow a variable of the same name, except with a leading dot", () => {
    expect(answer("[1].map(x, x + .x)", { x: 10 })).toEqual([11]);
  });

  it("shadow a qualified variable that starts with the same name", () => {
    const variables = { "x.y": stringType };
    expect(answer("[{'y': 'inner'}].map(x, x.y)", { "x.y": "outer" }, variables)).toEqual(["inner"]);
    expect(answer("x.y", { "x.y": "outer" }, variables)).toBe("outer");
  });
});

describe("optionals", () => {
  const table: Record<string, unknown> = {
    "trigger.?spec.?none.orValue('x')": "x",
    "trigger.?spec.replicas.orValue(0)": 3,
    "trigger.?none.replicas.orValue(0)": 0,
    "trigger.?spec.none.orValue(0)": 0,
    "trigger.metadata.?annotations.hasValue()": true,
    "trigger.metadata.?annotations.?team.hasValue()": false,
    "trigger.metadata.?annotations.team.hasValue()": false,
    'trigger.metadata.?annotations["team"].orValue("none")': "none",
    "trigger.metadata.?name.first.hasValue()": false,
    "trigger.spec.?replicas[0].hasValue()": false,
    'trigger.spec.?items["a"].hasValue()': { error: "no-such-overload" },
    "trigger.spec.items[?9].hasValue()": false,
    "trigger.spec.items[?0].value()": 1,
    'trigger.metadata.labels[?"env"].value()': "prod",
    "trigger.?spec.items[0].value()": 1,
    "trigger.?spec.items[99].hasValue()": false,
    "trigger.metadata.name.?first.hasValue()": false,
    "[?trigger.?none, ?trigger.spec.?replicas]": [3],
    "{?'a': trigger.?none, ?'b': trigger.spec.?replicas}": { b: 3 },
    "[?dyn(1)]": { error: "no-such-overload" },
    "optional.of(dyn(1)) == optional.of(dyn(1.0))": true,
    "optional.none() == optional.of(1)": false,
  };
  it.each(Object.entries(table))("%s", (expression, value) => {
    expect(answer(expression, { trigger })).toEqual(value);
  });
});

describe("a program", () => {
  it("keeps no state between evaluations", () => {
    const compiled = compile("[n].map(x, x + n)", createEnvironment({ variables: { n: intType } }));
    const values = [1, 2, 1].map((n) => {
      const result = compiled.ok ? compiled.program.evaluate({ n }) : undefined;
      return result?.ok ? toJson(result.value) : undefined;
    });
    expect(values).toEqual([[2], [4], [2]]);
  });

  it("is reentrant", () => {
    const compiled = compile("l.map(x, x.n)", createEnvironment({ variables: { l: dynType } }));
    if (!compiled.ok) throw new Error("rejected");
    const { program } = compiled;
    const inner = () => program.evaluate({ l: [{ n: 7 }] });
    const nested = {
      get n(): number {
        return inner().ok ? 1 : 0;
      },
    };
    const result = program.evaluate({ l: [nested, { n: 2 }] });
    expect(result.ok && toJson(result.value)).toEqual([1, 2]);
  });
});
