import { tests as checkingVectors } from "@bufbuild/cel-spec/testdata/checking.js";
import { tests as comprehensionVectors } from "@bufbuild/cel-spec/testdata/comprehension.js";
import { describe, expect, it } from "vitest";
import { formatType } from "../../src/cel/cel-type.ts";
import { compile } from "../../src/cel/compile.ts";
import { createEnvironment } from "../../src/cel/environment.ts";
import { MapValue } from "../../src/cel/values/value.ts";
import { refusalOf, verdictOn } from "./run-vector.ts";
import { conformanceVectors } from "./vectors.ts";

/** Suites that are not about the language as it is written over JSON, and why. */
const otherSuites: Readonly<Record<string, string>> = {
  block_ext: "cel.block is what optimizers rewrite expressions into; nobody writes it",
  enums: "enums of protocol buffers; Kubernetes objects are JSON and have none",
  proto2: "messages of protocol buffers; Kubernetes objects are JSON and have none",
  proto2_ext: "extensions of such messages",
  proto3: "messages of protocol buffers",
  wrappers: "wrapper messages of protocol buffers",
};

/**
 * Vectors of the other suites that construct, bind or declare a message of protocol buffers. The numbers are pinned:
 * a vector that stops running for any other reason does not disappear among them.
 */
const messagesExcluded: Readonly<Record<string, number>> = {
  comparisons: 72,
  dynamic: 209,
  optionals: 11,
  parse: 26,
  string_ext: 3,
  type_deductions: 21,
};

const vectors = conformanceVectors();
const core = vectors.filter(({ suite }) => !(suite in otherSuites));

describe("conformance", () => {
  const verdicts = core.map((vector) => ({ vector, verdict: verdictOn(vector) }));
  const ran = verdicts.filter(({ verdict }) => verdict.outcome !== "excluded");

  it("passes every vector of the core suites that is not about messages", () => {
    const failed = verdicts.flatMap(({ vector, verdict }) =>
      verdict.outcome === "failed" ? [`${vector.path}: ${vector.expression} ${verdict.why}`] : [],
    );
    const passed = ran.length - failed.length;
    console.log(
      `conformance: ${passed} of ${ran.length} core vectors pass (${((100 * passed) / ran.length).toFixed(1)} %)`,
    );
    expect(failed).toEqual([]);
    expect(ran.length).toBe(1_643);
  });

  it("leaves out what is about messages, and nothing else", () => {
    const excluded = verdicts.flatMap(({ vector, verdict }) => (verdict.outcome === "excluded" ? [vector.suite] : []));
    expect(countBySuite(excluded)).toEqual(messagesExcluded);
  });

  it("knows every suite there is", () => {
    const unlisted = new Set(vectors.map(({ suite }) => suite).filter((suite) => !(suite in otherSuites)));
    expect([...unlisted].sort()).toEqual([
      ...["basic", "bindings_ext", "comparisons", "conversions", "dynamic", "encoders_ext", "fields", "fp_math"],
      ...["integer_math", "lists", "logic", "macros", "macros2", "math_ext", "namespace", "optionals", "parse"],
      ...["plumbing", "string", "string_ext", "timestamps", "type_deductions"],
    ]);
  });

  it("runs vectors of all three kinds: checked and run, only checked, only run", () => {
    const modes = countBySuite(ran.map(({ vector }) => vector.mode));
    expect(modes).toEqual({ "check-and-run": 1_525, check: 14, run: 104 });
  });

  it("refuses what cel-go refuses, in the same words and at the same places", () => {
    const refused = ran
      .map(({ vector }) => vector)
      .filter(({ mode, refusal }) => mode === "run" && refusal !== undefined);
    const different = refused.filter((vector) => refusalOf(vector) !== vector.refusal);
    expect(different.map(({ path }) => path)).toEqual([]);
    expect(refused.length).toBe(95);
  });
});

function countBySuite(names: readonly string[]): Record<string, number> {
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

  it("deduces the types cel-go deduces, wherever no variable is needed", () => {
    const compared = testsIn(checkingVectors as Group).flatMap(({ original, type }) => {
      const compiled = compile(original.expr, environment);
      return compiled.ok && type !== undefined ? [[original.expr, formatType(compiled.program.resultType), type]] : [];
    });
    expect(compared.filter(([, ours, theirs]) => ours !== theirs)).toEqual([]);
    expect(compared.length).toBe(40);
  });

  it("runs its comprehensions: those that need no variable are true, or refused for a good reason", () => {
    const outcomes = testsIn(comprehensionVectors as Group).map(({ original }) => {
      const compiled = compile(original.expr, environment);
      if (!compiled.ok) return "refused";
      const result = compiled.program.evaluate({});
      if (!result.ok) return result.error.message.startsWith("duplicate key") ? "duplicate key" : original.expr;
      return result.value === true || result.value instanceof MapValue ? "fine" : original.expr;
    });
    expect(countBySuite(outcomes)).toEqual({ fine: 48, "duplicate key": 3, refused: 41 });
  });
});
