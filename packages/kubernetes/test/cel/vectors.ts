// The vectors of the language's conformance suite, flattened, from @bufbuild/cel-spec.
import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";

export type ProtoJson = Readonly<Record<string, unknown>>;

export interface Vector {
  readonly suite: string;
  readonly path: string;
  readonly expression: string;
  readonly container: string;
  /** Whether the expression is checked, run, or both. */
  readonly mode: "check-and-run" | "run" | "check";
  readonly declarations: readonly Declaration[];
  readonly bindings: Readonly<Record<string, ProtoJson>>;
  readonly expected: Expected;
  /** The complete error of cel-go, if it rejects the expression. */
  readonly rejection: string | undefined;
}

export interface Declaration {
  readonly name: string;
  readonly ident?: { readonly type: ProtoJson };
  readonly function?: { readonly overloads: readonly DeclaredOverload[] };
}

export interface DeclaredOverload {
  readonly params?: readonly ProtoJson[];
  readonly resultType: ProtoJson;
  readonly isInstanceFunction?: boolean;
}

export interface Expected {
  readonly value?: ProtoJson;
  readonly type?: ProtoJson;
  readonly error?: true;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: ProtoJson; readonly error?: string }[];
}

interface Original {
  readonly name: string;
  readonly expr: string;
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly typeEnv?: readonly Declaration[];
  readonly bindings?: Readonly<Record<string, { readonly value: ProtoJson }>>;
  readonly value?: ProtoJson;
  readonly typedResult?: { readonly result?: ProtoJson; readonly deducedType?: ProtoJson };
  readonly evalError?: unknown;
}

export function conformanceVectors(): readonly Vector[] {
  return (tests as Suite).suites?.flatMap((suite) => vectorsIn(suite, suite.name, suite.name)) ?? [];
}

function vectorsIn(node: Suite, suite: string, path: string): Vector[] {
  const here = (node.tests ?? []).map(({ original, error }) => {
    return { ...vectorOf(original as unknown as Original, suite, path), rejection: error };
  });
  return [...here, ...(node.suites ?? []).flatMap((inner) => vectorsIn(inner, suite, `${path}/${inner.name}`))];
}

function vectorOf(original: Original, suite: string, path: string): Omit<Vector, "rejection"> {
  return {
    suite,
    path: `${path}/${original.name}`,
    expression: original.expr,
    container: original.container ?? "",
    mode: original.checkOnly ? "check" : original.disableCheck ? "run" : "check-and-run",
    declarations: original.typeEnv ?? [],
    bindings: Object.fromEntries(Object.entries(original.bindings ?? {}).map(([name, bound]) => [name, bound.value])),
    expected: expectedOf(original),
  };
}

/** The suite expects true where a vector has no expectation. */
function expectedOf({ value, typedResult, evalError, checkOnly }: Original): Expected {
  if (evalError !== undefined) return { error: true };
  const result = value ?? typedResult?.result ?? (checkOnly ? undefined : { boolValue: true });
  return {
    ...(result && { value: result }),
    ...(typedResult?.deducedType && { type: typedResult.deducedType }),
  };
}
