import {
  boolType,
  dynType,
  errorType,
  formatType,
  intType,
  isOptional,
  listType,
  mapType,
  optionalType,
  stringType,
  type Type,
} from "../cel-type.ts";
import type { Binding, Comprehension, Expression, OptionalMap } from "../syntax/ast.ts";
import { expectBool } from "./check-literal.ts";
import type { Checking } from "./checking.ts";

export function checkComprehension(checking: Checking, comprehension: Comprehension): Type {
  const { variables, filter, body } = comprehension;
  const types = elementTypes(checking, comprehension);
  const names = variables.map((name, index) => [name, types[index] ?? dynType] as const);
  if (filter !== undefined) expectBool(checking, filter, checking.visitWith(filter, names));
  return resultType(checking, comprehension, { key: types[0], made: checking.visitWith(body, names) });
}

/** One variable: elements, or keys. Two: indexes and elements, or keys and values. */
function elementTypes(checking: Checking, { range, variables }: Comprehension): readonly [Type, Type] {
  const type = checking.types.resolve(checking.visit(range));
  switch (type.kind) {
    case "list":
      return variables.length === 1 ? [type.element, dynType] : [intType, type.element];
    case "map":
      return [type.key, type.value];
    case "object":
      return type.json === undefined ? refuseRange(checking, range, type) : [stringType, dynType];
    case "dyn":
    case "error":
    case "parameter":
      checking.types.assign([dynType], [type]);
      return [dynType, dynType];
    default:
      return refuseRange(checking, range, type);
  }
}

function refuseRange(checking: Checking, { offset }: Expression, type: Type): readonly [Type, Type] {
  const given = formatType(checking.types.finish(type));
  const message = `expression of type '${given}' cannot be range of a comprehension (must be list, map, or dynamic)`;
  checking.refuse(offset, message);
  return [errorType, errorType];
}

interface StepTypes {
  readonly key: Type;
  /** The type of the body. */
  readonly made: Type;
}

function resultType(checking: Checking, { form, body }: Comprehension, { key, made }: StepTypes): Type {
  switch (form) {
    case "all":
    case "exists":
    case "exists-one":
      expectBool(checking, body, made);
      return boolType;
    case "filter":
      expectBool(checking, body, made);
      return listType(key);
    case "list":
      return listType(made);
    case "map":
      return mapType(key, made);
    case "map-entries":
      return expectMap(checking, body, made);
    default:
      return form satisfies never;
  }
}

function expectMap(checking: Checking, body: Comprehension["body"], made: Type): Type {
  const map = mapType(checking.types.fresh(), checking.types.fresh());
  return checking.types.assign([made], [map]) ? map : checking.refuseType(body, map, made);
}

export function checkBinding(checking: Checking, { variable, value, body }: Binding): Type {
  return checking.visitWith(body, [[variable, checking.visit(value)]]);
}

export function checkOptionalMap(checking: Checking, { operand, variable, body, flat }: OptionalMap): Type {
  const type = checking.types.resolve(checking.visit(operand));
  const inner = isOptional(type) ? (type.parameters[0] ?? dynType) : dynType;
  const container = optionalType(inner);
  if (!checking.types.assign([type], [container])) checking.refuseType(operand, container, type);
  const made = checking.visitWith(body, [[variable, inner]]);
  if (!flat) return optionalType(made);
  const wanted = optionalType(checking.types.fresh());
  return checking.types.assign([made], [wanted]) ? wanted : checking.refuseType(body, wanted, made);
}
