import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { dynType } from "../../src/cel/cel-type.ts";
import { compile } from "../../src/cel/compile.ts";
import { createEnvironment } from "../../src/cel/environment.ts";
import { everyLibrary } from "../../src/cel/libraries/catalogue.ts";
import { defaultCostLimit, defaultLimits } from "../../src/cel/limits.ts";
import type { FailureKind } from "../../src/cel/values/failure.ts";

const page = readFileSync("docs/reference/expressions.md", "utf8");

/** The spelling of operators, by function. */
const written: Readonly<Record<string, string>> = {
  "-_": "-a",
  "!_": "!a",
  "@in": "a in b",
  "_[_]": "a[b]",
  "_[?_]": "a[?b]",
  "_?_:_": "a ? b : c",
};

function nameOnPage(name: string): string {
  return written[name] ?? name.replace(/^_(.+)_$/, "a $1 b");
}

const expectedRows = everyLibrary.flatMap(({ functions, macros }) =>
  [...functions, ...macros].map(
    ({ name, summary, example }) => `| \`${nameOnPage(name)}\` | ${summary} | \`${example}\` |`,
  ),
);

function shown(count: number): string {
  return count.toLocaleString("en-US");
}

describe("the page on expressions", () => {
  it("lists every function and macro, with its summary and its example, and no others", () => {
    const rows = page.split("\n").filter((line) => /^\| `.*` \| .* \| `.*` \|$/.test(line));
    expect(rows.toSorted()).toEqual(expectedRows.toSorted());
  });

  it("has a section for each library", () => {
    for (const { name } of everyLibrary) expect(page).toContain(`\n### ${name[0]?.toUpperCase()}${name.slice(1)}\n`);
  });

  it("explains every kind of error", () => {
    const kinds: Record<FailureKind, true> = {
      "missing-key": true,
      "index-out-of-range": true,
      overflow: true,
      "division-by-zero": true,
      "no-such-overload": true,
      conversion: true,
      "invalid-argument": true,
      "unbound-variable": true,
      "unexpected-result": true,
      "cost-exceeded": true,
    };
    for (const kind of Object.keys(kinds)) expect(page).toContain(`| \`${kind}\` |`);
  });

  it("lists all limits", () => {
    expect(page).toContain(`${shown(defaultLimits.length)} characters`);
    expect(page).toContain(`${defaultLimits.depth} levels`);
    expect(page).toContain(`| cost of an evaluation | ${shown(defaultCostLimit)} units |`);
  });

  const limits: Record<string, [file: string, constant: string]> = {
    "size of a type": ["cel-type.ts", "sizeMax"],
    "checking of types": ["check/substitution.ts", "stepsMax"],
    "mistakes reported at once": ["compile.ts", "issuesMax"],
    "line shown with a mistake": ["issue.ts", "snippetMax"],
    "data quoted in a message": ["values/excerpt.ts", "lengthMax"],
    "text of a duration": ["values/time/durations.ts", "textMax"],
    "length of a pattern": ["libraries/pattern.ts", "lengthMax"],
    "instructions of a pattern": ["libraries/pattern.ts", "programMax"],
    "compiling a pattern": ["libraries/pattern.ts", "compileCostMax"],
    "digits of a quantity": ["values/numbers/quantity.ts", "digitsMax"],
    "a semantic version": ["values/semantic-version.ts", "lengthMax"],
    "precision of `%f` and `%e`": ["libraries/format.ts", "precisionMax"],
    "nesting of values compared or shown": ["values/meter.ts", "depthMax"],
    "arguments of `math.greatest` and `math.least`": ["libraries/math.ts", "argumentsMax"],
  };
  it.each(Object.entries(limits))("gives the %s as it is in the code", (limit, [file, constant]) => {
    const value = new RegExp(`const ${constant} = ([\\d_]+);`).exec(
      readFileSync(`packages/kubernetes/src/cel/${file}`, "utf8"),
    )?.[1];
    expect(page).toMatch(new RegExp(`\\| ${limit} \\| ${shown(Number(value?.replaceAll("_", "")))}[ ;]`));
  });

  it("shows only expressions that compile", () => {
    const variables = { trigger: dynType, object: dynType, user: dynType, requestInfo: dynType };
    const environment = createEnvironment({ variables });
    const blocks = [...page.matchAll(/```cel\n([\s\S]*?)```/g)].flatMap(([, code = ""]) => code.split("\n\n"));
    expect(blocks.length).toBeGreaterThan(5);
    for (const block of blocks) {
      const compiled = compile(block, environment);
      expect(compiled.ok ? [] : compiled.issues.map(({ message }) => `${block}: ${message}`)).toEqual([]);
    }
  });
});
