import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dynType } from "../../src/cel/cel-type.ts";
import { compile } from "../../src/cel/compile.ts";
import { createEnvironment } from "../../src/cel/environment.ts";
import { nastyData, nastyShapes } from "./nasty-shapes.ts";
import { RandomExpression } from "./random-expression.ts";

const environment = createEnvironment({ variables: { big: dynType, json: dynType } });

/** Generous for a machine that is doing other things; most of these take a few milliseconds. */
const msMax = 3_000;

function run(expression: string): "refused" | "failed" | "done" {
  const compiled = compile(expression, environment);
  if (!compiled.ok) return "refused";
  return compiled.program.evaluate(nastyData).ok ? "done" : "failed";
}

describe("an expression of 1024 characters neither crashes nor hangs", () => {
  it.each(Object.entries(nastyShapes))("%s", (_, expression) => {
    expect(expression.length).toBeLessThanOrEqual(1024);
    const start = performance.now();
    run(expression);
    expect(performance.now() - start).toBeLessThan(msMax);
  });

  const outcomes: Record<string, [shape: string, outcome: string]> = {
    "parentheses beyond the limit are refused": ["balanced parentheses", "refused"],
    "a long chain of && is fine": ["a long chain of and", "done"],
    "a text doubling itself runs out of budget": ["a text doubling itself", "failed"],
    "a list doubling itself runs out of budget": ["a list doubling itself", "failed"],
    "replacing nothing by something long runs out of budget": ["replacement of nothing", "failed"],
    "nested loops run out of budget": ["nested quantifiers over many", "failed"],
    "a pattern too large is refused": ["a pattern beyond that", "refused"],
  };
  it.each(Object.entries(outcomes))("%s", (_, [shape, outcome]) => {
    expect(run(nastyShapes[shape] as string)).toBe(outcome);
  });
});

describe("an expression as long as one may be neither crashes nor hangs", () => {
  const fill = (part: string, separator: string) =>
    Array(Math.floor(99_000 / (part.length + separator.length)))
      .fill(part)
      .join(separator);
  const table: Record<string, string> = {
    "a list of numbers": `[${fill("1", ",")}]`,
    "a list of empty lists": `[${fill("[]", ",")}]`,
    "a list of names nobody knows": `[${fill("foo", ",")}]`,
    "a chain of conditions": fill("true", "&&"),
    "a chain of names nobody knows": fill("a.b", "||"),
    "a chain of macros": fill("[1].all(x,x>0)", "&&"),
    "a call with many arguments": `size(${fill("1", ",")})`,
    "a macro with many arguments": `[1].map(${fill("x", ",")})`,
    "a map": `{${Array.from({ length: 10_000 }, (_, index) => `${index}:1`).join(",")}}`,
    "a text of escapes": `'${fill("\\x41", "")}'`,
    "empty lines": `${"\n".repeat(99_000)}foo`,
    "a sum": fill("1", "+"),
  };
  it.each(Object.entries(table))("%s", (_, expression) => {
    const start = performance.now();
    run(expression);
    expect(performance.now() - start).toBeLessThan(msMax);
  });
});

/** The words and marks of the language, to be thrown together. */
const tokens = [
  ...[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    ":",
    "?",
    "!",
    "-",
    "+",
    "*",
    "/",
    "%",
    "<",
    ">",
    "==",
    "&&",
    "||",
    ".?",
    "[?",
  ],
  ...[
    "in",
    "true",
    "null",
    "1",
    "1u",
    "1.5",
    "'a'",
    "b'a'",
    "r'\\'",
    '"""',
    "0x1F",
    "1e9",
    "big",
    "json",
    "big.list",
    "x",
  ],
  ...["size", "has", "all", "map", "filter", "exists", "cel.bind", "matches", "optional.of", "string", "int", "format"],
  ...["for", "`a-b`", "\\", "'", '"', "//", "\n", "\u0000", "😀", "\ud83d", "@", "#"],
];

describe("whatever is thrown at it, it answers", () => {
  it("to tokens in any order", () => {
    const soup = fc.array(fc.constantFrom(...tokens), { maxLength: 200 }).map((all) => all.join("").slice(0, 1024));
    fc.assert(
      fc.property(soup, (expression) => {
        expect(["refused", "failed", "done"]).toContain(run(expression));
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  it("to characters in any order", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (expression) => {
        expect(["refused", "failed", "done"]).toContain(run(expression));
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });

  it("to expressions with something cut out, doubled or replaced", () => {
    const mutation = fc.record({ seed: fc.nat(), at: fc.nat(), length: fc.nat(12), token: fc.constantFrom(...tokens) });
    fc.assert(
      fc.property(mutation, ({ seed, at, length, token }) => {
        const whole = new RandomExpression(seed).any(4).slice(0, 1000);
        const start = at % (whole.length + 1);
        const mutated = whole.slice(0, start) + token + whole.slice(start + length);
        expect(["refused", "failed", "done"]).toContain(run(mutated));
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});
