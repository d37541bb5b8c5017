import type { Checked } from "../check/check.ts";
import type { Expression } from "../syntax/ast.ts";
import { planIdentifier, planPresence, planSelect } from "./plan-access.ts";
import { planCall } from "./plan-call.ts";
import { planBinding, planComprehension, planOptionalMap } from "./plan-comprehension.ts";
import { planList, planMap } from "./plan-literal.ts";
import { planLogical } from "./plan-logic.ts";
import { Planning } from "./planning.ts";
import { constantPlan, failingPlan, type Planned, type Step } from "./step.ts";

/** Turns a checked expression into a closure. */
export function plan(checked: Checked): Step {
  return new Planning(checked, planExpression).step(checked.expression);
}

function planExpression(planning: Planning, expression: Expression): Planned {
  switch (expression.kind) {
    case "literal":
      return constantPlan(expression.value);
    case "identifier":
      return planIdentifier(planning, expression);
    case "select":
      return planSelect(planning, expression);
    case "presence":
      return planPresence(planning, expression);
    case "call":
      return planCall(planning, expression);
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
