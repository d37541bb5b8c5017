import type { Checked } from "../check/check.ts";
import type { Call, Expression } from "../syntax/ast.ts";
import { planIdentifier, planPresence, planSelect } from "./plan-access.ts";
import { planCall } from "./plan-call.ts";
import { planBinding, planComprehension, planOptionalMap } from "./plan-comprehension.ts";
import { planList, planMap } from "./plan-literal.ts";
import { planLogical } from "./plan-logic.ts";
import { Planning } from "./planning.ts";
import { constantPlan, failingPlan, type Planned, type Step } from "./step.ts";

/** Compiles a checked expression into a closure. */
export function plan(checked: Checked): Step {
  const planning = new Planning(checked, (state, expression) =>
    expression.kind === "call"
      ? planCall(state, expression, checked.callOf(expression))
      : planExpression(state, expression),
  );
  return planning.step(checked.expression);
}

function planExpression(planning: Planning, expression: Exclude<Expression, Call>): Planned {
  switch (expression.kind) {
    case "literal":
      return constantPlan(expression.value);
    case "identifier":
      return planIdentifier(planning, expression);
    case "select":
      return planSelect(planning, expression);
    case "presence":
      return planPresence(planning, expression);
    case "logical":
      return planLogical(planning, expression);
    case "list":
      return planList(planning, expression);
    case "map":
      return planMap(planning, expression);
    case "comprehension":
      return planComprehension(planning, expression);
    case "binding":
      return planBinding(planning, expression);
    case "optional-map":
      return planOptionalMap(planning, expression);
    case "message":
    case "invalid":
      return failingPlan("invalid-argument", "expression is invalid", expression.offset);
    default:
      return expression satisfies never;
  }
}
