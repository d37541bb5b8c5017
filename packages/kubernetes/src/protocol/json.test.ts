import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonSyntaxError, readJson } from "./json-reader.ts";
import type { JsonValue } from "./json-value.ts";
import { writeJson } from "./json-writer.ts";

describe("reading JSON", () => {
  const exact: Record<string, [text: string, value: unknown]> = {
    "keeps an integer that fits a double a number": ['{"a":9007199254740991}', { a: 9007199254740991 }],
    "carries 2^53 + 1 as a bigint": ['{"a":9007199254740993}', { a: 9007199254740993n }],
    "carries the largest int64": ["[9223372036854775807]", [9223372036854775807n]],
    "carries the smallest int64": ["-9223372036854775808", -9223372036854775808n],
    "carries an integer beyond int64": ["123456789012345678901234567890", 123456789012345678901234567890n],
    "leaves fractions doubles": ["1234567890123456.5", 1234567890123456.5],
    "leaves exponents doubles": ["12345678901234567e3", 12345678901234567e3],
    "reads long digits inside strings as strings": ['["12345678901234567890"]', ["12345678901234567890"]],
    "reads everything beside a long integer": [
      ' { "a" : [ true , false , null , -0.5 , "x\\n\\u00e9\\"" ] , "b" : { } , "c" : [ ] , "n" : 12345678901234567 } ',
      { a: [true, false, null, -0.5, 'x\né"'], b: {}, c: [], n: 12345678901234567n },
    ],
  };
  for (const [name, [text, value]] of Object.entries(exact)) {
    it(name, () => expect(readJson(text)).toEqual(value));
  }

  it("finds a long integer at every offset", () => {
    for (let pad = 0; pad < 40; pad += 1) {
      expect(readJson(`${" ".repeat(pad)}[9007199254740993]`)).toEqual([9007199254740993n]);
    }
  });

  it("keeps a __proto__ key, with or without a long integer", () => {
    for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":9007199254740993}}']) {
      const value = readJson(text) as object;
      expect(Object.keys(value)).toEqual(["__proto__"]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
  });

  const long = "9007199254740993";
  const malformed: Record<string, string> = {
    "an empty text": "",
    "a stray word": "nope",
    "a missing brace": `{"a":${long}`,
    "a trailing comma": `[${long},]`,
    "a leading zero": `[${long}, 01]`,
    "a bad escape": `[${long}, "\\x"]`,
    "an unfinished string": `[${long}, "abc`,
    "a control character in a string": `[${long}, "a\nb"]`,
    "text after the end": `[${long}] x`,
    "a number for a key": `{${long}:1}`,
    "a lone minus": `[${long}, -]`,
    "a half word": `[${long}, tru]`,
  };
  for (const [name, text] of Object.entries(malformed)) {
    it(`rejects ${name}`, () => expect(() => readJson(text)).toThrow(JsonSyntaxError));
  }

  it("reports the position of the error", () => {
    expect(() => readJson(`[${long}, ?]`)).toThrow('Unexpected token "?" in JSON at position 19');
    expect(() => readJson(`[${long}`)).toThrow("Unexpected end of JSON input");
  });

  it("reads deep nesting, with or without a long integer, and rejects excessive nesting", () => {
    for (const inside of ["1", long]) {
      let value = readJson(`${'[{"a":'.repeat(500)}${inside}${"}]".repeat(500)}`);
      for (let depth = 0; depth < 500; depth += 1) value = (value as [{ a: JsonValue }])[0].a;
      expect(String(value)).toBe(inside);
      const deeper = `${'[{"a":'.repeat(50_000)}${inside}${"}]".repeat(50_000)}`;
      expect(() => readJson(deeper)).toThrow("exceeded max depth");
    }
  });
});

describe("writing JSON", () => {
  it("writes bigints as integers and omits what JSON.stringify omits", () => {
    const value = { a: 9223372036854775807n, b: undefined, c: [1n, undefined, "x"], d: { e: null } };
    expect(writeJson(value)).toBe('{"a":9223372036854775807,"c":[1,null,"x"],"d":{"e":null}}');
  });

  it("rejects a circular value", () => {
    const value: Record<string, unknown> = { amount: 1n };
    value["self"] = value;
    expect(() => writeJson(value)).toThrow(RangeError);
  });
});

describe("the round trip", () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
  const scalar = fc.oneof(
    fc.string(),
    fc.boolean(),
    fc.constant(null),
    number,
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      scalar,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie("value"), { maxKeys: 4 }),
    ),
  }));

  it("preserves every value, with exact integers", () => {
    fc.assert(
      fc.property(value, (original) => {
        expect(readJson(writeJson(original))).toEqual(normalized(original));
      }),
      { numRuns: 2000 },
    );
  });

  /** Parsed numbers: a safe integer is a number, any other integer a bigint. */
  function normalized(item: unknown): unknown {
    if (typeof item === "bigint") return Number.isSafeInteger(Number(item)) ? Number(item) : item;
    if (typeof item === "number") {
      const text = JSON.stringify(item);
      return /^-?[0-9]+$/.test(text) && !Number.isSafeInteger(item) ? BigInt(text) : item;
    }
    if (Array.isArray(item)) return item.map(normalized);
    if (typeof item !== "object" || item === null) return item;
    const copy = {};
    for (const [key, member] of Object.entries(item)) {
      Object.defineProperty(copy, key, {
        value: normalized(member),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy;
  }
});
