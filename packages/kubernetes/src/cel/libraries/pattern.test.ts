import { describe, expect, it } from "vitest";
import { Failure } from "../values/failure.ts";
import { compilePattern, Pattern } from "./pattern.ts";

describe("patterns", () => {
  it("are cached", () => {
    expect(compilePattern("a+b")).toBe(compilePattern("a+b"));
  });

  it("are evicted when there are too many", () => {
    const first = compilePattern("first");
    for (let count = 0; count < 200; count += 1) compilePattern(`other-${count}`);
    expect(compilePattern("first")).not.toBe(first);
    expect(compilePattern("first")).toBeInstanceOf(Pattern);
  });

  const rejected: Record<string, [pattern: string, message: string]> = {
    "that are malformed": ["(", "error parsing regexp: missing closing ): `(`"],
    "with lookahead": ["(?=a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
    "with backreferences": ["(a)\\1", "error parsing regexp: invalid escape sequence: `\\1`"],
    "with too many repetitions": ["a{1001}", "error parsing regexp: invalid repeat count: `{1001}`"],
    "that are too long": ["a".repeat(4_097), "error parsing regexp: expression is longer than 4096 characters"],
    "that grow too large": ["(a{100}){9}".repeat(20), "error parsing regexp: expression is too large once compiled"],
  };
  it.each(Object.entries(rejected))("are rejected %s", (_, [pattern, message]) => {
    const compiled = compilePattern(pattern);
    expect(compiled instanceof Failure && [compiled.kind, compiled.message]).toEqual(["invalid-argument", message]);
  });

  it("cost more with counted repetition", () => {
    const cost = (pattern: string) => (compilePattern(pattern) as Pattern).matchCost(99);
    expect([cost("abcd"), cost("a{100}"), cost("(a{100}){9}")]).toEqual([10, 130, 1150]);
  });
});
