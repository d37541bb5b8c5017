import { boolType, dynType, listType, mapType, objectType, stringType } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { compile } from "@milo-quota/kubernetes/cel/compile.ts";
import { createEnvironment, type Environment } from "@milo-quota/kubernetes/cel/environment.ts";
import { renderIssue } from "@milo-quota/kubernetes/cel/issue.ts";
import type { Program } from "@milo-quota/kubernetes/cel/program.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";

/** The variables of match conditions. `object` and `oldObject` are null where there is none. */
export interface ConditionVariables {
  readonly object: JsonObject | null;
  readonly oldObject: JsonObject | null;
  readonly request: JsonObject;
}

export type ConditionVerdict =
  | { readonly outcome: "matches" | "differs" }
  /** Evaluation failed, and the failure policy is Fail. */
  | { readonly outcome: "failed"; readonly message: string };

export interface MatchConditions {
  readonly isEmpty: boolean;
  evaluate(variables: ConditionVariables): ConditionVerdict;
}

/** Cost budgets of all conditions of one webhook for one request, and of each condition, in Kubernetes' units. */
const costMax = 2_500_000;
const costPerConditionMax = 1_000_000;
const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run";

type CompiledCondition =
  | { readonly ok: true; readonly program: Program<boolean> }
  | { readonly ok: false; readonly problem: string };

/** A false condition decides; an evaluation error counts only if no condition is false. */
export function compileMatchConditions(
  expressions: readonly string[],
  failurePolicy: "Fail" | "Ignore",
): MatchConditions {
  const conditions = expressions.map(compileCondition);
  return {
    isEmpty: conditions.length === 0,
    evaluate(variables) {
      const problems: string[] = [];
      for (const result of results(conditions, variables)) {
        if (result === false) return { outcome: "differs" };
        if (result !== true) problems.push(result);
      }
      if (problems.length === 0) return { outcome: "matches" };
      if (failurePolicy === "Ignore") return { outcome: "differs" };
      return { outcome: "failed", message: joined(problems) };
    },
  };
}

/** The result or error of each condition. Stops when the budget is spent. */
function* results(
  conditions: readonly CompiledCondition[],
  variables: ConditionVariables,
): Generator<boolean | string> {
  let budget = costMax;
  for (const condition of conditions) {
    if (!condition.ok) {
      yield `compilation error: ${condition.problem}`;
      continue;
    }
    const { program } = condition;
    const result = program.evaluate({ ...variables }, { costLimit: Math.min(budget, costPerConditionMax) });
    budget -= result.cost;
    yield result.ok ? result.value : `expression '${program.source}' resulted in error: ${result.error.message}`;
    if (budget <= 0) {
      yield outOfBudget;
      return;
    }
  }
}

function joined(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(", ")}]`;
}

/** Kubernetes' message about an invalid expression; undefined when it is valid. */
export function conditionProblem(expression: string): string | undefined {
  const compiled = compileCondition(expression);
  return compiled.ok ? undefined : compiled.problem;
}

function compileCondition(expression: string): CompiledCondition {
  const compiled = compile(expression, environment, { expect: boolType });
  if (compiled.ok) return compiled;
  const unsupported = compiled.issues.some((issue) => issue.message.startsWith("undeclared reference to 'authorizer'"));
  if (unsupported) return { ok: false, problem: "the variable 'authorizer' is not supported by this server" };
  const wrongType = /^expected type 'bool' but found '(.*)'$/s.exec(compiled.issues[0].message);
  if (wrongType !== null) return { ok: false, problem: `must evaluate to bool but got ${wrongType[1]}` };
  const rendered = compiled.issues.map((issue) => renderIssue(expression, issue)).join("\n");
  return { ok: false, problem: `compilation failed: ${rendered}` };
}

const kindType = objectType("kubernetes.GroupVersionKind", {
  group: stringType,
  version: stringType,
  kind: stringType,
});
const resourceType = objectType("kubernetes.GroupVersionResource", {
  group: stringType,
  version: stringType,
  resource: stringType,
});

const environment: Environment = createEnvironment({
  variables: {
    object: dynType,
    oldObject: dynType,
    request: objectType("kubernetes.AdmissionRequest", {
      kind: kindType,
      resource: resourceType,
      subResource: stringType,
      requestKind: kindType,
      requestResource: resourceType,
      requestSubResource: stringType,
      name: stringType,
      namespace: stringType,
      operation: stringType,
      userInfo: objectType("kubernetes.UserInfo", {
        username: stringType,
        uid: stringType,
        groups: listType(stringType),
        extra: mapType(stringType, listType(stringType)),
      }),
      dryRun: boolType,
      options: dynType,
    }),
  },
});
