import { describe, expect, it } from "vitest";
import {
  boolType,
  doubleType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullable,
  objectType,
  stringType,
  type Type,
} from "./cel-type.ts";
import { compile } from "./compile.ts";
import { createEnvironment } from "./environment.ts";
import { renderIssue } from "./issue.ts";

const widget = objectType("Widget", {
  replicas: intType,
  name: stringType,
  tags: listType(stringType),
  weight: doubleType,
  limits: mapType(stringType, intType),
  note: nullable(stringType),
});
const environment = createEnvironment({
  variables: { trigger: dynType, self: widget },
});

function issuesOf(expression: string): unknown[] {
  const compiled = compile(expression, environment);
  return compiled.ok ? [] : compiled.issues.map(({ line, column, message }) => [line, column, message]);
}

type Rejection = readonly [expression: string, line: number, column: number, message: string];

function rejects(about: string, table: readonly Rejection[]): void {
  describe(`rejects ${about}`, () => {
    it.each(table.map(([expression, ...issue]) => [expression, issue]))("%j", (expression, issue) => {
      expect(issuesOf(expression as string)).toEqual([issue]);
    });
  });
}

const wantsExpression = "Syntax error: mismatched input '<EOF>' expecting an expression";

rejects("a syntax error", [
  ["", 1, 1, wantsExpression],
  ["1 +", 1, 4, wantsExpression],
  ["(1", 1, 3, "Syntax error: mismatched input '<EOF>' expecting ')'"],
  ["(1))", 1, 4, "Syntax error: extraneous input ')' expecting <EOF>"],
  ["[1, 2", 1, 6, "Syntax error: mismatched input '<EOF>' expecting ']'"],
  ["[1 2]", 1, 4, "Syntax error: mismatched input '2' expecting ']'"],
  ["{1", 1, 3, "Syntax error: mismatched input '<EOF>' expecting ':'"],
  ["{1: 2", 1, 6, "Syntax error: mismatched input '<EOF>' expecting '}'"],
  ["{,}", 1, 2, "Syntax error: mismatched input ',' expecting an expression"],
  ["a b", 1, 3, "Syntax error: extraneous input 'b' expecting <EOF>"],
  ["1 @ 2", 1, 3, "Syntax error: token recognition error at: '@'"],
  ["a.", 1, 3, "Syntax error: mismatched input '<EOF>' expecting IDENTIFIER"],
  ["a.1", 1, 2, "Syntax error: extraneous input '.1' expecting <EOF>"],
  ["a.true", 1, 3, "Syntax error: mismatched input 'true' expecting IDENTIFIER"],
  ["a.in", 1, 3, "Syntax error: mismatched input 'in' expecting IDENTIFIER"],
  ["a[", 1, 3, wantsExpression],
  ["a[1 2]", 1, 5, "Syntax error: mismatched input '2' expecting ']'"],
  ["a ? b", 1, 6, "Syntax error: mismatched input '<EOF>' expecting ':'"],
  ["a ? b :", 1, 8, wantsExpression],
  ["* 1", 1, 1, "Syntax error: mismatched input '*' expecting an expression"],
  ["!-x", 1, 2, "Syntax error: extraneous input '-' expecting an expression"],
  ["f(1,)", 1, 5, "Syntax error: mismatched input ')' expecting an expression"],
  [". 1", 1, 3, "Syntax error: mismatched input '1' expecting IDENTIFIER"],
  ["Point{x 1}", 1, 9, "Syntax error: mismatched input '1' expecting ':'"],
  ["Point{1: 2}", 1, 7, "Syntax error: mismatched input '1' expecting IDENTIFIER"],
  ["`a`", 1, 1, "Syntax error: mismatched input '`a`' expecting an expression"],
]);

rejects("invalid literals", [
  ['"abc', 1, 1, "Syntax error: token recognition error at: '\"abc'"],
  ["'a\nb'", 1, 1, "Syntax error: token recognition error at: ''a'"],
  ['"""abc', 1, 1, 'Syntax error: token recognition error at: \'"""abc\''],
  ["'a\\q'", 1, 3, "Syntax error: invalid escape sequence '\\q'"],
  ["'\\ud800'", 1, 2, "Syntax error: invalid unicode code point"],
  ["'\\U00110000'", 1, 2, "Syntax error: invalid unicode code point"],
  ["b'\\u0041'", 1, 3, "Syntax error: bytes have no unicode escapes"],
  ["99999999999999999999", 1, 1, "invalid int literal"],
  ["-9223372036854775809", 1, 1, "invalid int literal"],
  ["0x8000000000000000", 1, 1, "invalid int literal"],
  ["18446744073709551616u", 1, 1, "invalid uint literal"],
  ["1e999", 1, 1, "invalid double literal"],
]);

rejects("reserved words as names", [
  ["for", 1, 1, "reserved identifier: for"],
  ["trigger.x + package", 1, 13, "reserved identifier: package"],
]);

rejects("macros with invalid arguments", [
  ["has(1)", 1, 5, "invalid argument to has() macro"],
  ["has(trigger)", 1, 5, "invalid argument to has() macro"],
  ['has(trigger["a"])', 1, 12, "invalid argument to has() macro"],
  ["has(trigger.?a)", 1, 12, "invalid argument to has() macro"],
  ["[1].all(1, true)", 1, 9, "argument must be a simple name"],
  ["[1].all(x.y, true)", 1, 10, "argument must be a simple name"],
  ["[1].map(.x, true)", 1, 10, "argument must be a simple name"],
  ["[1].exists(__result__, true)", 1, 12, "iteration variable overwrites accumulator variable"],
  ["[1].all(i, __result__, true)", 1, 12, "iteration variable overwrites accumulator variable"],
  ["[1].transformList(i, i, i)", 1, 22, "duplicate variable name: i"],
  ["cel.bind(a.b, 1, 2)", 1, 11, "cel.bind() variable names must be simple identifiers"],
  ["optional.of(1).optMap(1, 2)", 1, 23, "optMap() variable name must be a simple identifier"],
  ["optional.of(1).optFlatMap(a.b, 2)", 1, 28, "optFlatMap() variable name must be a simple identifier"],
  [
    "1.all(x, true)",
    1,
    1,
    "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ["[1].all(x, x)", 1, 12, "expected type 'bool' but found 'int'"],
  ["[1].exists_one(x, 1)", 1, 19, "expected type 'bool' but found 'int'"],
  ["[1].filter(x, 1)", 1, 15, "expected type 'bool' but found 'int'"],
  ["[1].map(x, 1, x)", 1, 12, "expected type 'bool' but found 'int'"],
  ["[1].map(x, x + 'a')", 1, 14, "found no matching overload for '_+_' applied to '(int, string)'"],
  ["[1].all(x, y > 0)", 1, 12, "undeclared reference to 'y' (in container '')"],
  ["[1].all(x, x > 0) && x", 1, 22, "undeclared reference to 'x' (in container '')"],
  ["{'a': 1}.transformMapEntry(k, v, v)", 1, 34, "expected type 'map(dyn, dyn)' but found 'int'"],
  ["5.optMap(x, x)", 1, 1, "expected type 'optional_type(dyn)' but found 'int'"],
  ["optional.of(1).optFlatMap(x, x)", 1, 30, "expected type 'optional_type(dyn)' but found 'int'"],
]);

rejects("undeclared names", [
  ["foo", 1, 1, "undeclared reference to 'foo' (in container '')"],
  ["trigger.x == foo", 1, 14, "undeclared reference to 'foo' (in container '')"],
  ["foo.bar.baz", 1, 1, "undeclared reference to 'foo' (in container '')"],
  ["foo(1)", 1, 4, "undeclared reference to 'foo' (in container '')"],
  ["trigger.foo(1)", 1, 12, "undeclared reference to 'foo' (in container '')"],
  ["'a'.all()", 1, 8, "undeclared reference to 'all' (in container '')"],
  ["Foo{a: 1}", 1, 4, "undeclared reference to 'Foo' (in container '')"],
  ["1 +\n  foo", 2, 3, "undeclared reference to 'foo' (in container '')"],
  ["trigger.a &&\ntrigger.b &&\n bar(1)", 3, 5, "undeclared reference to 'bar' (in container '')"],
  ["'😀' + foo", 1, 7, "undeclared reference to 'foo' (in container '')"],
]);

rejects("operands of the wrong type", [
  ["1 + 'a'", 1, 3, "found no matching overload for '_+_' applied to '(int, string)'"],
  ["1 + 1.0", 1, 3, "found no matching overload for '_+_' applied to '(int, double)'"],
  ["1 - 1u", 1, 3, "found no matching overload for '_-_' applied to '(int, uint)'"],
  ["'a' * 2", 1, 5, "found no matching overload for '_*_' applied to '(string, int)'"],
  ["'a' / 'b'", 1, 5, "found no matching overload for '_/_' applied to '(string, string)'"],
  ["1.5 % 2.0", 1, 5, "found no matching overload for '_%_' applied to '(double, double)'"],
  ["-'a'", 1, 1, "found no matching overload for '-_' applied to '(string)'"],
  ["-1u", 1, 1, "found no matching overload for '-_' applied to '(uint)'"],
  ["!1", 1, 1, "found no matching overload for '!_' applied to '(int)'"],
  ["1 < 'a'", 1, 3, "found no matching overload for '_<_' applied to '(int, string)'"],
  ["[1] < [2]", 1, 5, "found no matching overload for '_<_' applied to '(list(int), list(int))'"],
  ["{} >= {}", 1, 4, "found no matching overload for '_>=_' applied to '(map(dyn, dyn), map(dyn, dyn))'"],
  ["1 == 'a'", 1, 3, "found no matching overload for '_==_' applied to '(int, string)'"],
  ["1 == 1.0", 1, 3, "found no matching overload for '_==_' applied to '(int, double)'"],
  ["null == 1", 1, 6, "found no matching overload for '_==_' applied to '(null, int)'"],
  ["1 != 'a'", 1, 3, "found no matching overload for '_!=_' applied to '(int, string)'"],
  ["1 in 2", 1, 3, "found no matching overload for '@in' applied to '(int, int)'"],
  ["1 in ['a']", 1, 3, "found no matching overload for '@in' applied to '(int, list(string))'"],
  ["1 in {'a': 1}", 1, 3, "found no matching overload for '@in' applied to '(int, map(string, int))'"],
  ["[1]['a']", 1, 4, "found no matching overload for '_[_]' applied to '(list(int), string)'"],
  ["{'a': 1}[1]", 1, 9, "found no matching overload for '_[_]' applied to '(map(string, int), int)'"],
  ["'abc'[0]", 1, 6, "found no matching overload for '_[_]' applied to '(string, int)'"],
  ["1 ? 2 : 3", 1, 3, "found no matching overload for '_?_:_' applied to '(int, int, int)'"],
  ["true ? 1 : 'a'", 1, 6, "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
  ["1 && true", 1, 1, "expected type 'bool' but found 'int'"],
  ["true || 'a'", 1, 9, "expected type 'bool' but found 'string'"],
  ["[1, 'a']", 1, 5, "expected type 'int' but found 'string'"],
  ["{'a': 1, 'b': 'c'}", 1, 15, "expected type 'int' but found 'string'"],
  ["{'a': 1, 2: 3}", 1, 10, "expected type 'string' but found 'int'"],
  ["[?1]", 1, 3, "expected type 'optional_type(int)' but found 'int'"],
  ["{?'a': 1}", 1, 8, "expected type 'optional_type(int)' but found 'int'"],
]);

rejects("arguments of the wrong type", [
  ["size(5)", 1, 5, "found no matching overload for 'size' applied to '(int)'"],
  ["size('a', 'b')", 1, 5, "found no matching overload for 'size' applied to '(string, string)'"],
  ["'a'.size(1)", 1, 9, "found no matching overload for 'size' applied to 'string.(int)'"],
  ["'a'.startsWith(1)", 1, 15, "found no matching overload for 'startsWith' applied to 'string.(int)'"],
  ["duration(5)", 1, 9, "found no matching overload for 'duration' applied to '(int)'"],
  ["int(true)", 1, 4, "found no matching overload for 'int' applied to '(bool)'"],
  ["string([1])", 1, 7, "found no matching overload for 'string' applied to '(list(int))'"],
  ["quantity('1').add('2')", 1, 18, "found no matching overload for 'add' applied to 'kubernetes.Quantity.(string)'"],
  ["['a'].sum()", 1, 10, "found no matching overload for 'sum' applied to 'list(string).()'"],
  ["[[1]].min()", 1, 10, "found no matching overload for 'min' applied to 'list(list(int)).()'"],
]);

const noTime = "type conversion error from 'string' to 'google.protobuf.";
const decimalOnly =
  "error during formatting: decimal clause can only be used on ints, uints, and doubles, was given string";

rejects("constants a function cannot use", [
  ["'a'.matches('[')", 1, 13, "invalid matches argument: error parsing regexp: missing closing ]: `[`"],
  ["matches('a', 'a{1001}')", 1, 14, "invalid matches argument: error parsing regexp: invalid repeat count: `{1001}`"],
  ["'a'.find('*')", 1, 10, "invalid find argument: error parsing regexp: missing argument to repetition operator: `*`"],
  ["'a'.findAll('a)')", 1, 13, "invalid findAll argument: error parsing regexp: unexpected ): `a)`"],
  ["timestamp('yesterday')", 1, 11, `invalid timestamp argument: ${noTime}Timestamp'`],
  ["timestamp('2024-02-30T00:00:00Z')", 1, 11, `invalid timestamp argument: ${noTime}Timestamp'`],
  ["duration('1 hour')", 1, 10, `invalid duration argument: ${noTime}Duration'`],
  ["'%d'.format(['a'])", 1, 14, decimalOnly],
  ["'%s %s'.format(['a'])", 1, 15, "index 1 out of range"],
  ["'%s'.format(['a', 'b'])", 1, 12, "too many arguments supplied to string.format (expected 1, got 2)"],
  ["'%q'.format(['a'])", 1, 12, 'could not parse formatting clause: unrecognized formatting clause "q"'],
  ["'%.101f'.format([1.0])", 1, 16, "precision must be 0 to 100"],
]);

rejects("fields a type does not have", [
  ["1.a", 1, 2, "type 'int' does not support field selection"],
  ["[1].a", 1, 4, "type 'list(int)' does not support field selection"],
  ["optional.of(1).a", 1, 15, "type 'int' does not support field selection"],
  ["self.missing", 1, 5, "undefined field 'missing'"],
  ["has(self.missing)", 1, 4, "undefined field 'missing'"],
  ["self.name + 1", 1, 11, "found no matching overload for '_+_' applied to '(string, int)'"],
  ["self.tags.map(t, t + 1)", 1, 20, "found no matching overload for '_+_' applied to '(string, int)'"],
  ["self.weight == 1", 1, 13, "found no matching overload for '_==_' applied to '(double, int)'"],
  ["self.limits['a'] == 'b'", 1, 18, "found no matching overload for '_==_' applied to '(int, string)'"],
  ["self.note + 1", 1, 11, "found no matching overload for '_+_' applied to '(wrapper(string), int)'"],
  ["trigger{a: 1}", 1, 8, "'dyn' is not a type"],
  ["int{a: 1}", 1, 4, "'int' is not a message type"],
  ["Point{x: 1}", 1, 6, "undeclared reference to 'Point' (in container '')"],
]);

describe("the issues of an expression", () => {
  it("are complete, from left to right", () => {
    expect(issuesOf("foo + bar * baz(1) && 1")).toEqual([
      [1, 1, "undeclared reference to 'foo' (in container '')"],
      [1, 7, "undeclared reference to 'bar' (in container '')"],
      [1, 16, "undeclared reference to 'baz' (in container '')"],
      [1, 23, "expected type 'bool' but found 'int'"],
    ]);
  });

  it("are limited to a hundred, with the number of the others", () => {
    const issues = issuesOf(Array(250).fill("foo").join("&&")) as [number, number, string][];
    expect(issues.length).toBe(101);
    expect(issues.at(-1)).toEqual([1, 501, "150 more errors were truncated"]);
  });

  it("truncate long texts", () => {
    const [[, , tooMany]] = issuesOf(`size(${Array(50).fill("1").join(",")})`) as [[number, number, string]];
    expect(tooMany).toBe(`found no matching overload for 'size' applied to '(${Array(16).fill("int").join(", ")}, …)'`);
    const [[, , tooLong]] = issuesOf(`1 '${"a".repeat(500)}'`) as [[number, number, string]];
    expect(tooLong).toBe(`Syntax error: extraneous input ''${"a".repeat(79)}…' expecting <EOF>`);
  });

  it("continue after a syntax error", () => {
    expect(issuesOf("for + has(1) + 99999999999999999999")).toEqual([
      [1, 1, "reserved identifier: for"],
      [1, 11, "invalid argument to has() macro"],
      [1, 16, "invalid int literal"],
    ]);
  });

  it("have an offset, which locates them in a larger text", () => {
    const template = "Hello {{ trigger.name + foo }}!";
    const start = template.indexOf("{{") + 2;
    const compiled = compile(template.slice(start, template.indexOf("}}")), environment);
    const [issue] = compiled.ok ? [] : compiled.issues;
    expect(renderIssue(template, { message: "here", offset: start + (issue?.offset ?? 0) })).toBe(
      ["ERROR: <input>:1:25: here", " | Hello {{ trigger.name + foo }}!", " | ........................^"].join("\n"),
    );
  });

  const rendered: Record<string, [expression: string, text: string]> = {
    "are shown with their line and a caret": [
      "1 + 2 + foo",
      "ERROR: <input>:1:9: undeclared reference to 'foo' (in container '')\n | 1 + 2 + foo\n | ........^",
    ],
    "are shown with the right line of many": [
      "1 +\n\tfoo",
      "ERROR: <input>:2:2: undeclared reference to 'foo' (in container '')\n |  foo\n | .^",
    ],
    "keep the caret under its character after wide ones": [
      "'é😀' + foo",
      "ERROR: <input>:1:8: undeclared reference to 'foo' (in container '')\n | 'é😀' + foo\n | .．．....^",
    ],
    "make the caret wide under a wide character": [
      "1 + 😀",
      "ERROR: <input>:1:5: Syntax error: token recognition error at: '😀'\n | 1 + 😀\n | ....＾",
    ],
    "omit a line that is too long": [
      `${" ".repeat(20_000)}foo`,
      "ERROR: <input>:1:20001: undeclared reference to 'foo' (in container '')",
    ],
  };
  it.each(Object.entries(rendered))("%s", (_, [expression, text]) => {
    const compiled = compile(expression, environment);
    expect(compiled.ok ? [] : compiled.issues.map((issue) => renderIssue(expression, issue))).toEqual([text]);
  });
});

describe("the limits of an expression", () => {
  const limits: Record<string, [expression: string, message: string | undefined]> = {
    "allow the configured number of code points": ["'😀😀😀😀😀😀'", undefined],
    "reject one more": ["'😀😀😀😀😀😀😀'", "expression code point size exceeds limit: size: 9, limit 8"],
    "allow the configured number of levels": ["((1))", undefined],
    "reject one more level": ["(((1)))", "expression recursion limit exceeded: 3"],
    "count operators as levels": ["1+1+1+1", "expression recursion limit exceeded: 3"],
    "count fields as levels": ["a.b.c.d", "expression recursion limit exceeded: 3"],
    "do not count a chain of &&": ["a&&b&&c", undefined],
  };
  it.each(Object.entries(limits))("%s", (_, [expression, message]) => {
    const variables = { a: dynType, b: dynType, c: dynType };
    const compiled = compile(expression, createEnvironment({ variables }), { limits: { length: 8, depth: 3 } });
    expect(compiled.ok ? undefined : compiled.issues[0].message).toBe(message);
  });

  it("default to 100000 code points and 250 levels", () => {
    expect(issuesOf(" ".repeat(100_001))).toEqual([
      [1, 1, "expression code point size exceeds limit: size: 100001, limit 100000"],
    ]);
    expect(issuesOf(`${"(".repeat(250)}1${")".repeat(250)}`)[0]).toEqual([
      1,
      251,
      "expression recursion limit exceeded: 250",
    ]);
    expect(issuesOf(`${"(".repeat(249)}1${")".repeat(249)}`)).toEqual([]);
  });
});

describe("an expected result", () => {
  const expectations: Record<string, [expression: string, expected: Type, message: string | undefined]> = {
    "is checked before the evaluation": ["1 + 1", boolType, "expected type 'bool' but found 'int'"],
    "matches if the types are equal": ["1 < 2", boolType, undefined],
    "matches a dynamic type": ["trigger.x", boolType, undefined],
    "may be nullable": ["self.note", stringType, undefined],
    "compares list elements": ["['a']", listType(intType), "expected type 'list(int)' but found 'list(string)'"],
    "matches an empty list": ["[]", listType(intType), undefined],
  };
  it.each(Object.entries(expectations))("%s", (_, [expression, expected, message]) => {
    const compiled = compile(expression, environment, { expect: expected });
    expect(compiled.ok ? undefined : compiled.issues[0].message).toBe(message);
  });

  it("types the value for TypeScript", () => {
    const compiled = compile("1 + 1", environment, { expect: intType });
    const result = compiled.ok ? compiled.program.evaluate({}) : undefined;
    const value: bigint | undefined = result?.ok ? result.value : undefined;
    expect(value).toBe(2n);
  });
});

describe("the type of a result", () => {
  const types: Record<string, string> = {
    "1": "int",
    "1u": "uint",
    "1.0": "double",
    "'a'": "string",
    "b'a'": "bytes",
    true: "bool",
    null: "null",
    "[]": "list(dyn)",
    "[1]": "list(int)",
    "[1, dyn('a')]": "list(dyn)",
    "{}": "map(dyn, dyn)",
    "{'a': [1]}": "map(string, list(int))",
    int: "type(int)",
    "type(1)": "type(int)",
    "1 + 2": "int",
    "trigger.a + 1": "int",
    "trigger.a + trigger.b": "dyn",
    "trigger.a < trigger.b": "bool",
    "[1][0]": "int",
    "{'a': 1}['a']": "int",
    "{'a': 1}.a": "int",
    "{'a': 1}.?a": "optional_type(int)",
    "{'a': 1}[?'a'].orValue(2)": "int",
    "optional.none()": "optional_type(dyn)",
    "[optional.none(), optional.of(1)]": "list(optional_type(int))",
    "[1].map(x, string(x))": "list(string)",
    "[1].filter(x, x > 0)": "list(int)",
    "{'a': 1}.map(k, k)": "list(string)",
    "[1].transformMap(i, v, string(v))": "map(int, string)",
    "{'a': 1}.transformMapEntry(k, v, {v: k})": "map(int, string)",
    "[[]].map(x, x)": "list(list(dyn))",
    "true ? [] : [1]": "list(int)",
    "cel.bind(x, [1], x[0])": "int",
    "optional.of(1).optMap(x, [x])": "optional_type(list(int))",
    "self.tags[0]": "string",
    "self.note": "wrapper(string)",
    "true ? self.note : null": "wrapper(string)",
    "[self.note, 'a']": "list(wrapper(string))",
    "timestamp(0) - timestamp(1)": "duration",
    "quantity('1').add(1)": "kubernetes.Quantity",
    "math.greatest(1, 2.0)": "dyn",
  };
  it.each(Object.entries(types))("of %s is %s", (expression, type) => {
    const compiled = compile(expression, environment);
    expect(compiled.ok ? formatType(compiled.program.resultType) : compiled.issues).toBe(type);
  });
});
