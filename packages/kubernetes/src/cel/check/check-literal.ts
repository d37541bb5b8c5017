import {
  boolType,
  dynType,
  errorType,
  formatType,
  isOptional,
  listType,
  mapType,
  optionalType,
  type Type,
} from "../cel-type.ts";
import type { Expression, ListLiteral, Logical, MapLiteral, MessageLiteral } from "../syntax/ast.ts";
import type { Checking } from "./checking.ts";
import { moreGeneral } from "./same-type.ts";
import { typeConstants } from "./type-constants.ts";

export function checkLogical(checking: Checking, { terms }: Logical): Type {
  for (const term of terms) expectBool(checking, term, checking.visit(term));
  return boolType;
}

export function expectBool(checking: Checking, expression: Expression, type: Type): void {
  if (!checking.types.assign([type], [boolType])) checking.refuseType(expression, boolType, type);
}

export function checkList(checking: Checking, { elements }: ListLiteral): Type {
  let common: Type | undefined;
  for (const { value, optional } of elements) {
    common = join(checking, value, common, elementType(checking, value, optional));
  }
  return listType(common ?? checking.types.fresh());
}

export function checkMap(checking: Checking, { entries }: MapLiteral): Type {
  let keys: Type | undefined;
  let values: Type | undefined;
  for (const { key, value, optional } of entries) {
    keys = join(checking, key, keys, checking.visit(key));
    values = join(checking, value, values, elementType(checking, value, optional));
  }
  return mapType(keys ?? checking.types.fresh(), values ?? checking.types.fresh());
}

/** The type of an element; with a question mark, of the value inside the optional. */
function elementType(checking: Checking, value: Expression, optional: boolean): Type {
  const type = checking.types.resolve(checking.visit(value));
  if (!optional) return type;
  if (isOptional(type)) return type.parameters[0] ?? dynType;
  if (type.kind !== "dyn" && type.kind !== "error") checking.refuseType(value, optionalType(type), type);
  return type;
}

/** The common type of all elements so far and one more. */
function join(checking: Checking, at: Expression, common: Type | undefined, next: Type): Type {
  if (common === undefined) return next;
  if (checking.types.assign([common], [next])) return moreGeneral(common, next);
  return checking.mixedAllowed ? dynType : checking.refuseType(at, common, next);
}

/** `Name{field: value}` is always rejected: objects are JSON and there are no message types. */
export function checkMessage(checking: Checking, message: MessageLiteral): Type {
  refuseMessage(checking, message);
  for (const { value } of message.fields) checking.visit(value);
  return errorType;
}

function refuseMessage(checking: Checking, { typeName, offset }: MessageLiteral): void {
  const variable = checking.find(checking.environment.variables, typeName)?.found;
  if (variable !== undefined) checking.refuse(offset, `'${formatType(variable)}' is not a type`);
  else if (typeConstants.has(typeName)) checking.refuse(offset, `'${typeName}' is not a message type`);
  else checking.refuseUndeclared(offset, typeName.replace(/^\./, ""));
}
