import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dynType } from "../../src/cel/cel-type.ts";
import { compile } from "../../src/cel/compile.ts";
import { createEnvironment } from "../../src/cel/environment.ts";
import { nastyBodies, nastySelf, nastySelfType, nastyTrigger } from "./nasty-bodies.ts";
import { nastyData, nastyShapes } from "./nasty-shapes.ts";
import { RandomExpression } from "./random-expression.ts";

const environment = createEnvironment({ variables: { big: dynType, json: dynType } });

/** Generous for a busy machine; most of these take a few milliseconds. */
const msMax = 3_000;

function run(expression: string): "rejected" | "failed" | "done" {
  const compiled = compile(expression, environment);
  if (!compiled.ok) return "rejected";
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
    "parentheses beyond the limit are rejected": ["balanced parentheses", "rejected"],
    "a long chain of && is fine": ["a long chain of and", "done"],
    "a string doubling itself exceeds the cost limit": ["a text doubling itself", "failed"],
    "a list doubling itself exceeds the cost limit": ["a list doubling itself", "failed"],
    "replacing the empty string by a long one exceeds the cost limit": ["replacement of nothing", "failed"],
    "nested loops exceed the cost limit": ["nested quantifiers over many", "failed"],
    "a pattern too large is rejected": ["a pattern beyond that", "rejected"],
  };
  it.each(Object.entries(outcomes))("%s", (_, [shape, outcome]) => {
    expect(run(nastyShapes[shape] as string)).toBe(outcome);
  });
});

describe("an expression repeated up to the cost limit ends quickly", () => {
  const large = createEnvironment({ variables: { t: dynType, self: nastySelfType } });
  // A tenth of the limit takes a tenth of its time, and there are many of these.
  const costLimit = 100_000;

  it.each(Object.values(nastyBodies).flat())("%s", (body) => {
    const compiled = compile(`t.ints.all(i, t.ints.all(j, dyn(${body}) == dyn(1) || true))`, large);
    if (!compiled.ok) throw new Error(compiled.issues[0].message);
    const start = performance.now();
    const result = compiled.program.evaluate({ t: nastyTrigger, self: nastySelf }, { costLimit });
    expect(!result.ok && result.error.kind).toBe(nests(body) ? "invalid-argument" : "cost-exceeded");
    expect(performance.now() - start).toBeLessThan(msMax);
  });

  /** Equality rejects deep nesting at once, before it has cost much. */
  function nests(body: string): boolean {
    return body.includes("t.tooDeep ==");
  }
});

describe("a message quotes at most one line of the data", () => {
  const large = createEnvironment({ variables: { t: dynType } });
  const start = "a".repeat(80);
  const table: Record<string, [expression: string, message: string]> = {
    "a missing key": ["t.map[t.text]", `no such key: ${start}…`],
    "a value that is not a valid key": ["t.map[t.ints]", "no such key: list"],
    "a duplicate key": ["{t.text: 1, t.text: 2}", `duplicate key: ${start}…`],
    "a time zone": ["timestamp(0).getHours(t.text)", `unknown time zone ${start}…`],
    "a pattern": [
      "'a'.matches(t.brokenPatterns[0])",
      `error parsing regexp: missing closing ): \`(${"a|b".repeat(13)}…`.slice(0, 80).concat("…"),
    ],
  };
  it.each(Object.entries(table))("%s", (_, [expression, message]) => {
    const compiled = compile(expression, large);
    const result = compiled.ok ? compiled.program.evaluate({ t: nastyTrigger }) : undefined;
    expect(result?.ok === false && result.error.message).toBe(message);
  });
});

describe("an expression of maximum length neither crashes nor hangs", () => {
  const fill = (part: string, separator: string) =>
    Array(Math.floor(99_000 / (part.length + separator.length)))
      .fill(part)
      .join(separator);
  const table: Record<string, string> = {
    "a list of numbers": `[${fill("1", ",")}]`,
    "a list of empty lists": `[${fill("[]", ",")}]`,
    "a list of unknown names": `[${fill("foo", ",")}]`,
    "a chain of conditions": fill("true", "&&"),
    "a chain of unknown names": fill("a.b", "||"),
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

/** The tokens of the language, to be combined at random. */
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

describe("random input neither crashes nor hangs", () => {
  it("tokens in any order", () => {
    const soup = fc.array(fc.constantFrom(...tokens), { maxLength: 200 }).map((all) => all.join("").slice(0, 1024));
    fc.assert(
      fc.property(soup, (expression) => {
        expect(["rejected", "failed", "done"]).toContain(run(expression));
      }),
      { numRuns: 3_000, seed: 1 },
    );
  });

  it("characters in any order", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (expression) => {
        expect(["rejected", "failed", "done"]).toContain(run(expression));
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });

  it("expressions with a part removed, duplicated or replaced", () => {
    const mutation = fc.record({ seed: fc.nat(), at: fc.nat(), length: fc.nat(12), token: fc.constantFrom(...tokens) });
    fc.assert(
      fc.property(mutation, ({ seed, at, length, token }) => {
        const whole = new RandomExpression(seed).any(4).slice(0, 1000);
        const start = at % (whole.length + 1);
        const mutated = whole.slice(0, start) + token + whole.slice(start + length);
        expect(["rejected", "failed", "done"]).toContain(run(mutated));
      }),
      { numRuns: 2_000, seed: 1 },
    );
  });
});
