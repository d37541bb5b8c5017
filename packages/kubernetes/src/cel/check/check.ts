import {
  boolType,
  bytesType,
  doubleType,
  errorType,
  intType,
  nullType,
  stringType,
  type Type,
  uintType,
} from "../cel-type.ts";
import type { Environment } from "../environment.ts";
import type { Expression } from "../syntax/ast.ts";
import type { Finding } from "../syntax/syntax-issue.ts";
import type { Value } from "../values/value.ts";
import { checkCall } from "./check-call.ts";
import { checkBinding, checkComprehension, checkOptionalMap } from "./check-comprehension.ts";
import { checkList, checkLogical, checkMap, checkMessage } from "./check-literal.ts";
import { checkIdentifier, checkPresence, checkSelect } from "./check-name.ts";
import { Checking, type ResolvedCall } from "./checking.ts";
import type { NameReference } from "./name-reference.ts";

/** A type-checked expression. */
export interface Checked {
  readonly expression: Expression;
  readonly type: Type;
  readonly typeOf: (expression: Expression) => Type;
  readonly nameOf: (expression: Expression) => NameReference | undefined;
  readonly callOf: (expression: Expression) => ResolvedCall | undefined;
  /** Empty if the expression is valid. */
  readonly findings: readonly Finding[];
}

export function check(expression: Expression, environment: Environment): Checked {
  const checking = new Checking(environment, visit);
  const type = checking.visit(expression);
  if (checking.types.exhausted) checking.refuse(expression.offset, "expression is too intricate to check its types");
  return {
    expression,
    type: checking.types.finish(type),
    typeOf: (node) => checking.types.finish(checking.typed.get(node) ?? errorType),
    nameOf: (node) => checking.names.get(node),
    callOf: (node) => checking.calls.get(node),
    findings: checking.findings,
  };
}

function visit(checking: Checking, expression: Expression): Type {
  switch (expression.kind) {
    case "literal":
      return literalType(expression.value);
    case "identifier":
      return checkIdentifier(checking, expression);
    case "select":
      return checkSelect(checking, expression);
    case "presence":
      return checkPresence(checking, expression);
    case "call":
      return checkCall(checking, expression);
    case "logical":
      return checkLogical(checking, expression);
    case "list":
      return checkList(checking, expression);
    case "map":
      return checkMap(checking, expression);
    case "message":
      return checkMessage(checking, expression);
    case "comprehension":
      return checkComprehension(checking, expression);
    case "binding":
      return checkBinding(checking, expression);
    case "optional-map":
      return checkOptionalMap(checking, expression);
    case "invalid":
      return errorType;
    default:
      return expression satisfies never;
  }
}

function literalType(value: Value): Type {
  if (value === null) return nullType;
  if (value instanceof Uint8Array) return bytesType;
  switch (typeof value) {
    case "boolean":
      return boolType;
    case "bigint":
      return intType;
    case "number":
      return doubleType;
    case "string":
      return stringType;
    default:
      return uintType;
  }
}
