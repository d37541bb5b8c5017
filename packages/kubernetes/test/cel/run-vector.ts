import { formatType } from "../../src/cel/cel-type.ts";
import { check } from "../../src/cel/check/check.ts";
import { compile } from "../../src/cel/compile.ts";
import { createEnvironment, type Environment } from "../../src/cel/environment.ts";
import { renderIssue } from "../../src/cel/issue.ts";
import { everyLibrary } from "../../src/cel/libraries/catalogue.ts";
import { callCost } from "../../src/cel/libraries/costs.ts";
import {
  type FunctionDeclaration,
  free,
  type Library,
  method,
  type Overload,
} from "../../src/cel/libraries/library.ts";
import { Program } from "../../src/cel/program.ts";
import type { Expression } from "../../src/cel/syntax/ast.ts";
import { childrenOf } from "../../src/cel/syntax/children.ts";
import { parse } from "../../src/cel/syntax/parser.ts";
import { displayValue } from "../../src/cel/values/display.ts";
import { equal } from "../../src/cel/values/equality.ts";
import { typeNameOf } from "../../src/cel/values/type-name.ts";
import type { Value } from "../../src/cel/values/value.ts";
import { NeedsMessages, typeFrom, valueFrom } from "./notation.ts";
import type { Declaration, Vector } from "./vectors.ts";

export type Verdict =
  | { readonly outcome: "passed" }
  | { readonly outcome: "excluded"; readonly why: string }
  | { readonly outcome: "failed"; readonly why: string };

/** Runs a vector, or reports that it needs messages, which our values do not have. */
export function verdictOn(vector: Vector): Verdict {
  try {
    return run(vector, environmentOf(vector));
  } catch (error) {
    if (error instanceof NeedsMessages) return { outcome: "excluded", why: error.message };
    throw error;
  }
}

/** The issues of a vector's expression, as one text. */
export function rejectionOf(vector: Vector): string {
  const compiled = compile(vector.expression, environmentOf(vector));
  return compiled.ok ? "" : compiled.issues.map((issue) => renderIssue(vector.expression, issue)).join("\n");
}

function run(vector: Vector, environment: Environment): Verdict {
  const { expected, mode } = vector;
  const parsed = parse(vector.expression, { macros: environment.macros });
  if (!parsed.ok) return verdict(expected.error === true, `does not parse: ${parsed.findings[0]?.message}`);
  if (makesMessage(parsed.expression)) throw new NeedsMessages("constructs a message");
  const checked = check(parsed.expression, environment);
  if (mode !== "run" && checked.findings.length > 0) {
    return verdict(expected.error === true, `does not check: ${checked.findings[0]?.message}`);
  }
  const wanted = expected.type && formatType(typeFrom(expected.type));
  if (wanted !== undefined && formatType(checked.type) !== wanted) {
    return verdict(false, `has type ${formatType(checked.type)}, not ${wanted}`);
  }
  if (mode === "check") return { outcome: "passed" };
  const bindings = Object.fromEntries(Object.entries(vector.bindings).map(([name, value]) => [name, valueFrom(value)]));
  const result = new Program(vector.expression, checked, undefined).evaluate(bindings);
  if (!result.ok) return verdict(expected.error === true, `fails: ${result.error.message}`);
  if (expected.error === true) return verdict(false, `yields ${displayValue(result.value, unmetered)}, not an error`);
  const value = expected.value && valueFrom(expected.value);
  return verdict(value !== undefined && same(result.value, value), `yields ${displayValue(result.value, unmetered)}`);
}

const unmetered = { spend: () => undefined };

function verdict(passed: boolean, why: string): Verdict {
  return passed ? { outcome: "passed" } : { outcome: "failed", why };
}

/** Equal and of the same type; NaN equals NaN here. */
function same(left: Value, right: Value): boolean {
  if (Number.isNaN(left) && Number.isNaN(right)) return true;
  return typeNameOf(left) === typeNameOf(right) && equal(left, right, unmetered);
}

function makesMessage(expression: Expression): boolean {
  return expression.kind === "message" || childrenOf(expression).some(makesMessage);
}

function environmentOf({ declarations, container }: Vector): Environment {
  const variables = declarations.flatMap(({ name, ident }) => (ident ? [[name, typeFrom(ident.type)] as const] : []));
  const functions = declarations.flatMap((declaration) => (declaration.function ? [functionOf(declaration)] : []));
  const declared: Library = { name: "declared", functions, macros: [] };
  return createEnvironment({
    variables: Object.fromEntries(variables),
    libraries: [...everyLibrary, declared],
    container,
    mixedLiterals: true,
  });
}

function functionOf({ name, function: declared }: Declaration): FunctionDeclaration {
  const overloads = (declared?.overloads ?? []).map(({ params, resultType, isInstanceFunction }): Overload => {
    const make = isInstanceFunction ? method : free;
    return make((params ?? []).map(typeFrom), typeFrom(resultType), () => null, callCost);
  });
  return { name, overloads, summary: "", example: "" };
}
