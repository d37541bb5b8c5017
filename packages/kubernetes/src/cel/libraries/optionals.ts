import { boolType, listType, optionalType, parameterType } from "../cel-type.ts";
import { planOr, planOrValue } from "../run/plan-optional.ts";
import { optionalMacros } from "../syntax/macros.ts";
import { Failure } from "../values/failure.ts";
import { elementAt, elementsOf, listSize } from "../values/lists.ts";
import { mapSize } from "../values/maps.ts";
import {
  Duration,
  isList,
  isMapping,
  type List,
  ListValue,
  Optional,
  type Outcome,
  Uint,
  type Value,
} from "../values/value.ts";
import { callCost, listCost, sizeCost } from "./costs.ts";
import { type FunctionDeclaration, free, type Library, method } from "./library.ts";

const v = parameterType("V");
const optional = optionalType(v);

/** Null, false, zero, and empty values. */
function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === 0n || value === "") return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Optional) return value.value === undefined;
  if (isList(value)) return listSize(value) === 0;
  return isMapping(value) && mapSize(value) === 0;
}

function valueIn({ value }: Optional): Outcome {
  return value === undefined ? new Failure("invalid-argument", "optional.none() dereference") : value;
}

function present(value: Value | undefined): Optional {
  return value === undefined ? Optional.none : new Optional(value);
}

function elementOf(list: List, index: number): Optional {
  return listSize(list) === 0 ? Optional.none : new Optional(elementAt(list, index));
}

function unwrap(list: List): Outcome {
  const optionals = elementsOf(list);
  if (!optionals.every((item) => item instanceof Optional)) {
    return new Failure("no-such-overload", "a list element is not an optional");
  }
  return new ListValue(optionals.flatMap(({ value }) => (value === undefined ? [] : [value])));
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "optional.of",
    overloads: [free([v], optional, present, callCost)],
    summary: "An optional with a value.",
    example: "optional.of(1).hasValue()",
  },
  {
    name: "optional.ofNonZeroValue",
    overloads: [free([v], optional, (value) => present(isZero(value) ? undefined : value), sizeCost)],
    summary: "An optional with a value, unless that is null, false, zero or empty.",
    example: '!optional.ofNonZeroValue("").hasValue()',
  },
  {
    name: "optional.none",
    overloads: [free([], optional, () => Optional.none, callCost)],
    summary: "An optional without a value.",
    example: "optional.none().orValue(5) == 5",
  },
  {
    name: "hasValue",
    overloads: [method([optional], boolType, ({ value }) => value !== undefined, callCost)],
    summary: "Whether there is a value.",
    example: '{"a": 1}.?a.hasValue()',
  },
  {
    name: "value",
    overloads: [method([optional], v, valueIn, callCost)],
    summary: "The value; an error if there is none.",
    example: '{"a": 1}.?a.value() == 1',
  },
  {
    name: "or",
    overloads: [{ member: true, parameters: [optional, optional], result: optional, plan: planOr }],
    summary: "The first of two optionals that has a value.",
    example: '{"a": 1}.?b.or(optional.of(2)).value() == 2',
  },
  {
    name: "orValue",
    overloads: [{ member: true, parameters: [optional, v], result: v, plan: planOrValue }],
    summary: "The value, or another if there is none.",
    example: '{"a": 1}.?b.orValue(0) == 0',
  },
  {
    name: "first",
    overloads: [method([listType(v)], optional, (list) => elementOf(list, 0), callCost)],
    summary: "The first element of a list, if it has any.",
    example: "[1, 2].first().value() == 1",
  },
  {
    name: "last",
    overloads: [method([listType(v)], optional, (list) => elementOf(list, listSize(list) - 1), callCost)],
    summary: "The last element of a list, if it has any.",
    example: "[1, 2].last().value() == 2",
  },
  {
    name: "optional.unwrap",
    overloads: [free([listType(optional)], listType(v), unwrap, listCost)],
    summary: "The values of those optionals in a list that have one.",
    example: "optional.unwrap([optional.of(1), optional.none()]) == [1]",
  },
  {
    name: "unwrapOpt",
    overloads: [method([listType(optional)], listType(v), unwrap, listCost)],
    summary: "The same, as a method.",
    example: "[optional.of(1), optional.none()].unwrapOpt() == [1]",
  },
];

export const optionalsLibrary: Library = { name: "optionals", functions, macros: optionalMacros };
