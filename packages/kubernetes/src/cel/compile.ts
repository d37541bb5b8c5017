import { formatType, type Type } from "./cel-type.ts";
import { type Checked, check } from "./check/check.ts";
import { Substitution } from "./check/substitution.ts";
import type { Environment } from "./environment.ts";
import { type Issue, positionAt } from "./issue.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { Program } from "./program.ts";
import { parse } from "./syntax/parser.ts";
import type { Finding } from "./syntax/syntax-issue.ts";
import type { Value } from "./values/value.ts";

export interface CompileOptions<V extends Value> {
  /** The expected result type. An expression that cannot have it is rejected; one that may is checked at run time. */
  readonly expect?: Type<V>;
  readonly limits?: Partial<Limits>;
}

export type Compiled<V extends Value> =
  | { readonly ok: true; readonly program: Program<V> }
  | { readonly ok: false; readonly issues: readonly [Issue, ...Issue[]] };

/** Parses and checks an expression once, for repeated evaluation. */
export function compile<V extends Value = Value>(
  expression: string,
  environment: Environment,
  { expect, limits }: CompileOptions<V> = {},
): Compiled<V> {
  const parsed = parse(expression, { macros: environment.macros, limits: { ...defaultLimits, ...limits } });
  if (!parsed.ok) return refused(expression, parsed.findings);
  const checked = check(parsed.expression, environment);
  const findings = checked.findings.length > 0 ? checked.findings : unexpectedResult(checked, expect);
  if (findings.length > 0) return refused(expression, findings);
  return { ok: true, program: new Program<V>(expression, checked, expect) };
}

function unexpectedResult({ expression, type }: Checked, expect: Type | undefined): Finding[] {
  if (expect === undefined || new Substitution().assign([type], [expect])) return [];
  const message = `expected type '${formatType(expect)}' but found '${formatType(type)}'`;
  return [{ message, offset: expression.offset }];
}

/** Limits the work of computing positions; more issues are of no use. */
const issuesMax = 100;

function refused(expression: string, findings: readonly Finding[]): Compiled<never> {
  const sorted = [...findings].sort((left, right) => left.offset - right.offset);
  const shown = sorted.slice(0, issuesMax);
  const [dropped] = sorted.slice(issuesMax);
  const rest = `${sorted.length - issuesMax} more errors were truncated`;
  if (dropped !== undefined) shown.push({ message: rest, offset: dropped.offset });
  const [first, ...others] = shown.map(({ message, offset }): Issue => {
    return { message, offset, ...positionAt(expression, offset) };
  });
  return { ok: false, issues: [first as Issue, ...others] };
}
