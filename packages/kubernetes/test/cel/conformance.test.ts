import { tests as checkingVectors } from "@bufbuild/cel-spec/testdata/checking.js";
import { tests as comprehensionVectors } from "@bufbuild/cel-spec/testdata/comprehension.js";
import { describe, expect, it } from "vitest";
import { formatType } from "../../src/cel/cel-type.ts";
import { compile } from "../../src/cel/compile.ts";
import { createEnvironment } from "../../src/cel/environment.ts";
import { MapValue } from "../../src/cel/values/value.ts";
import { answeredAsInKubernetes, excludedSuites, excludedVectors, means } from "./excluded-vectors.ts";
import { rejectionOf, verdictOn } from "./run-vector.ts";
import { conformanceVectors } from "./vectors.ts";

const vectors = conformanceVectors();
const core = vectors.filter(({ suite }) => !(suite in excludedSuites));

describe("conformance", () => {
  const verdicts = core.map((vector) => ({ vector, verdict: verdictOn(vector) }));
  const ran = verdicts.filter(({ verdict }) => verdict.outcome !== "excluded");
  const failed = ran.filter(({ verdict }) => verdict.outcome === "failed");

  it("passes every vector it runs, except those with the result of Kubernetes", () => {
    const others = vectors.length - core.length;
    const share = ((100 * (ran.length - failed.length)) / ran.length).toFixed(1);
    console.log(
      `conformance: ${vectors.length} vectors in all, ${others} in suites left out, ${core.length - ran.length} more ` +
        `that need messages; of the ${ran.length} that run, ${ran.length - failed.length} pass (${share} %)`,
    );
    const unexplained = failed.filter(({ vector }) => !(vector.path in answeredAsInKubernetes));
    expect(unexplained.map(({ vector }) => `${vector.path}: ${vector.expression}`)).toEqual([]);
    expect(failed.map(({ vector }) => vector.path).sort()).toEqual(Object.keys(answeredAsInKubernetes).sort());
    expect([vectors.length, core.length, ran.length]).toEqual([2_344, 1_985, 1_643]);
  });

  it("excludes only the listed vectors that need messages", () => {
    const excluded = verdicts.filter(({ verdict }) => verdict.outcome === "excluded").map(({ vector }) => vector.path);
    const names = Object.keys(excludedVectors);
    const listed = core.map(({ path }) => path).filter((path) => names.some((name) => means(name, path)));
    expect(excluded).toEqual(listed);
    expect(names.filter((name) => !excluded.some((path) => means(name, path)))).toEqual([]);
  });

  it("covers every suite", () => {
    const unlisted = new Set(core.map(({ suite }) => suite));
    expect([...unlisted].sort()).toEqual([
      ...["basic", "bindings_ext", "comparisons", "conversions", "dynamic", "encoders_ext", "fields", "fp_math"],
      ...["integer_math", "lists", "logic", "macros", "macros2", "math_ext", "namespace", "optionals", "parse"],
      ...["plumbing", "string", "string_ext", "timestamps", "type_deductions"],
    ]);
  });

  it("runs vectors of all three kinds: checked and run, only checked, only run", () => {
    const modes = countEach(ran.map(({ vector }) => vector.mode));
    expect(modes).toEqual({ "check-and-run": 1_525, check: 14, run: 104 });
  });

  it("rejects what cel-go rejects, with the same messages and positions", () => {
    const rejected = ran
      .map(({ vector }) => vector)
      .filter(({ mode, rejection }) => mode === "run" && rejection !== undefined);
    const different = rejected.filter((vector) => rejectionOf(vector) !== vector.rejection);
    expect(different.map(({ path }) => path)).toEqual([]);
    expect(rejected.length).toBe(95);
  });
});

function countEach(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

interface Group {
  readonly suites?: readonly Group[];
  readonly tests?: readonly { readonly original: { readonly expr: string }; readonly type?: string }[];
}

function testsIn(group: Group): NonNullable<Group["tests"]> {
  return [...(group.tests ?? []), ...(group.suites ?? []).flatMap(testsIn)];
}

describe("the vectors of cel-go", () => {
  const environment = createEnvironment({ mixedLiterals: true });

  it("infers the types of cel-go for expressions without variables", () => {
    const compared = testsIn(checkingVectors as Group).flatMap(({ original, type }) => {
      const compiled = compile(original.expr, environment);
      return compiled.ok && type !== undefined ? [[original.expr, formatType(compiled.program.resultType), type]] : [];
    });
    expect(compared.filter(([, ours, theirs]) => ours !== theirs)).toEqual([]);
    expect(compared.length).toBe(40);
  });

  it("runs its comprehensions: those without variables are true, or rejected for a known reason", () => {
    const outcomes = testsIn(comprehensionVectors as Group).map(({ original }) => {
      const compiled = compile(original.expr, environment);
      if (!compiled.ok) return "rejected";
      const result = compiled.program.evaluate({});
      if (!result.ok) return result.error.message.startsWith("duplicate key") ? "duplicate key" : original.expr;
      return result.value === true || result.value instanceof MapValue ? "fine" : original.expr;
    });
    expect(countEach(outcomes)).toEqual({ fine: 48, "duplicate key": 3, rejected: 41 });
  });
});
