import { describe, expect, it } from "vitest";
import { goJsonError } from "./go-json-error.ts";

const table: Readonly<Record<string, string | undefined>> = {
  "": "unexpected end of JSON input",
  "{": "unexpected end of JSON input",
  "{x": "invalid character 'x' looking for beginning of object key string",
  "{'a':1}": "invalid character '\\'' looking for beginning of object key string",
  '{"a" 1}': "invalid character '1' after object key",
  '{"a":1 "b"': "invalid character '\"' after object key:value pair",
  '{"a":}': "invalid character '}' looking for beginning of value",
  "[1 2]": "invalid character '2' after array element",
  "[1,]": "invalid character ']' looking for beginning of value",
  "{} x": "invalid character 'x' after top-level value",
  "nul!": "invalid character '!' in literal null (expecting 'l')",
  tru: "unexpected end of JSON input",
  '"a\nb"': "invalid character '\\n' in string literal",
  '"\\x"': "invalid character 'x' in string escape code",
  '"\\u00g0"': "invalid character 'g' in \\u hexadecimal character escape",
  "-a": "invalid character 'a' in numeric literal",
  "01": "invalid character '1' after top-level value",
  "1.x": "invalid character 'x' after decimal point in numeric literal",
  "1e+": "unexpected end of JSON input",
  "1ex": "invalid character 'x' in exponent of numeric literal",
  ' {"a": [1, -2.5e3, true, false, null, {"b": "\\u00e4"}], "c": {}} ': undefined,
  "[]": undefined,
};

describe("the JSON syntax error of Go", () => {
  it.each(Object.entries(table))("%s", (text, fault) => {
    expect(goJsonError(text)).toBe(fault);
  });

  it("is found at any depth of nesting", () => {
    expect(goJsonError("[".repeat(200_000))).toBe("unexpected end of JSON input");
    expect(goJsonError(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)).toBeUndefined();
  });
});
