import { boolType } from "@milo-quota/kubernetes/cel/cel-type.ts";
import { compile } from "@milo-quota/kubernetes/cel/compile.ts";
import type { Environment } from "@milo-quota/kubernetes/cel/environment.ts";
import type { Program } from "@milo-quota/kubernetes/cel/program.ts";
import type { FieldIssue } from "@milo-quota/kubernetes/protocol/field-issue.ts";
import type { PolicyTrigger } from "../resources/fields/policy-trigger.ts";
import { expressionIssue } from "./expression-issue.ts";
import type { PolicyBindings } from "./policy-variables.ts";

/** Whether a policy applies to an object. */
export type MatchResult =
  /** `missingKeys` is the number of conditions that read a missing field or key. */
  | { readonly outcome: "matches" | "differs"; readonly missingKeys: number }
  /** A condition failed to evaluate. The request must not be admitted because of it. */
  | { readonly outcome: "failed"; readonly message: string };

export type Conditions = (bindings: PolicyBindings) => MatchResult;

export interface CompiledConditions {
  readonly conditions: Conditions;
  readonly issues: readonly FieldIssue[];
}

/** Compiles the conditions of a trigger; all must be true. */
export function compileConditions(trigger: PolicyTrigger, environment: Environment): CompiledConditions {
  const programs: Program<boolean>[] = [];
  const issues: FieldIssue[] = [];
  for (const [index, { expression }] of trigger.constraints.entries()) {
    const compiled = compile(expression, environment, { expect: boolType });
    const path = `spec.trigger.${trigger.constraintsField}[${index}].expression`;
    if (compiled.ok) programs.push(compiled.program);
    else issues.push(...compiled.issues.map((issue) => expressionIssue(path, expression, issue)));
  }
  return { conditions: (bindings) => evaluateAll(programs, bindings), issues };
}

/**
 * The first condition that is not true decides. A missing field or key makes a condition false, because that is what
 * authors of `trigger.metadata.labels["env"] == "prod"` mean.
 */
function evaluateAll(programs: readonly Program<boolean>[], bindings: PolicyBindings): MatchResult {
  for (const program of programs) {
    const result = program.evaluate(bindings);
    if (result.ok) {
      if (!result.value) return { outcome: "differs", missingKeys: 0 };
    } else if (result.error.kind === "missing-key") {
      return { outcome: "differs", missingKeys: 1 };
    } else {
      const { line, column, message } = result.error;
      return { outcome: "failed", message: `${program.source}: ${message} (line ${line}, column ${column})` };
    }
  }
  return { outcome: "matches", missingKeys: 0 };
}
