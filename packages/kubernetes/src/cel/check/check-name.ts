import { nearestName } from "../../protocol/nearest-name.ts";
import { boolType, dynType, formatType, isOptional, optionalType, type Type, typeTypeOf } from "../cel-type.ts";
import { type Expression, type Identifier, type Presence, qualifiedName, type Select } from "../syntax/ast.ts";
import { TypeName } from "../values/value.ts";
import type { Checking } from "./checking.ts";
import { typeConstants } from "./type-constants.ts";

export function checkIdentifier(checking: Checking, identifier: Identifier): Type {
  const local = identifier.absolute ? undefined : checking.local(identifier.name);
  if (local !== undefined) {
    checking.names.set(identifier, { kind: "local", name: identifier.name });
    return local;
  }
  const name = identifier.absolute ? `.${identifier.name}` : identifier.name;
  return resolveName(checking, identifier, name) ?? checking.refuseUndeclared(identifier.offset, identifier.name);
}

/** `a.b` may be field `b` of `a`, or the variable or type called `a.b`; the longest declared name wins. */
export function checkSelect(checking: Checking, select: Select): Type {
  const name = isLocal(checking, select) ? undefined : qualifiedName(select);
  const resolved = name === undefined ? undefined : resolveName(checking, select, name);
  return resolved ?? fieldType(checking, select, select.optional);
}

export function checkPresence(checking: Checking, presence: Presence): Type {
  fieldType(checking, presence, false);
  return boolType;
}

function resolveName(checking: Checking, expression: Expression, name: string): Type | undefined {
  const variable = checking.find(checking.environment.variables, name);
  if (variable !== undefined) {
    checking.names.set(expression, { kind: "variable", name: variable.name });
    return variable.found;
  }
  const constant = checking.find(typeConstants, name);
  if (constant === undefined) return undefined;
  checking.names.set(expression, { kind: "constant", value: new TypeName(constant.name) });
  return typeTypeOf(constant.found);
}

/** Whether a chain of selections starts at a macro variable, which shadows others of that name. */
export function isLocal(checking: Checking, expression: Expression): boolean {
  if (expression.kind === "select") return isLocal(checking, expression.operand);
  return expression.kind === "identifier" && !expression.absolute && checking.local(expression.name) !== undefined;
}

function fieldType(checking: Checking, { operand, field, offset }: Select | Presence, optional: boolean): Type {
  const operandType = checking.types.resolve(checking.visit(operand));
  const inner = isOptional(operandType) ? (operandType.parameters[0] ?? dynType) : operandType;
  const selected = fieldOf(checking, inner, field, offset);
  return optional || inner !== operandType ? optionalType(selected) : selected;
}

function undeclaredField(
  checking: Checking,
  { fields, json }: Type & { readonly kind: "object" },
  field: string,
  offset: number,
): Type {
  if (json === "open") return dynType;
  const nearest = json === undefined ? undefined : nearestName(field, fields.keys());
  const hint = nearest === undefined ? "" : `; did you mean '${nearest}'?`;
  return checking.refuse(offset, `undefined field '${field}'${hint}`);
}

function fieldOf(checking: Checking, type: Type, field: string, offset: number): Type {
  switch (type.kind) {
    case "map":
      return type.value;
    case "object":
      return type.fields.get(field)?.type ?? undeclaredField(checking, type, field, offset);
    case "dyn":
    case "error":
      return dynType;
    case "parameter":
      // Its type is unknown yet; because it has a field, it is taken for an object of any type.
      checking.types.assign([dynType], [type]);
      return dynType;
    default:
      checking.refuse(offset, `type '${formatType(checking.types.finish(type))}' does not support field selection`);
      return dynType;
  }
}
