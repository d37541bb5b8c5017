import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  optionalType,
  parameterType,
  stringType,
  type Type,
  timestampType,
  uintType,
} from "../cel-type.ts";
import { planIndex, planOptionalIndex } from "../run/plan-access.ts";
import { planEqual, planMembership, planUnequal } from "../run/plan-equality.ts";
import { planConditional } from "../run/plan-logic.ts";
import { Failure, noSuchOverload } from "../values/failure.ts";
import { add, divide, modulo, multiply, negate, subtract } from "../values/numbers/checked-arithmetic.ts";
import { compare } from "../values/ordering.ts";
import type { Outcome, Value } from "../values/value.ts";
import { additionCost, callCost, orderingCost } from "./costs.ts";
import { type FunctionDeclaration, planned, signatures } from "./library.ts";

const a = parameterType("A");
const b = parameterType("B");
const numbers: readonly Type[] = [intType, uintType, doubleType];

function binary(types: readonly Type[]): [readonly Type[], Type][] {
  return types.map((type) => [[type, type], type]);
}

const arithmetic: readonly FunctionDeclaration[] = [
  {
    name: "_+_",
    overloads: signatures(
      add,
      [
        ...binary([intType, stringType, ...numbers.slice(1), bytesType, durationType, listType(a)]),
        [[timestampType, durationType], timestampType],
        [[durationType, timestampType], timestampType],
      ],
      additionCost,
    ),
    summary: "Adds numbers and times; joins strings, bytes and lists.",
    example: '1 + 2 == 3 && "a" + "b" == "ab"',
  },
  {
    name: "_-_",
    overloads: signatures(
      subtract,
      [
        ...binary([...numbers, durationType]),
        [[timestampType, durationType], timestampType],
        [[timestampType, timestampType], durationType],
      ],
      callCost,
    ),
    summary: "Subtracts numbers and times.",
    example: "5 - 3 == 2",
  },
  {
    name: "_*_",
    overloads: signatures(multiply, binary(numbers), callCost),
    summary: "Multiplies.",
    example: "2 * 3 == 6",
  },
  {
    name: "_/_",
    overloads: signatures(divide, binary(numbers), callCost),
    summary: "Divides; between integers, towards zero.",
    example: "7 / 2 == 3 && 7.0 / 2.0 == 3.5",
  },
  {
    name: "_%_",
    overloads: signatures(modulo, binary([intType, uintType]), callCost),
    summary: "The remainder, with the sign of the left side.",
    example: "-7 % 3 == -1",
  },
  {
    name: "-_",
    overloads: signatures(
      negate,
      [
        [[intType], intType],
        [[doubleType], doubleType],
      ],
      callCost,
    ),
    summary: "Negates a number.",
    example: "-(1 + 1) == -2",
  },
  {
    name: "!_",
    overloads: signatures(
      (value: Value) => (typeof value === "boolean" ? !value : noSuchOverload()),
      [[[boolType], boolType]],
      callCost,
    ),
    summary: "Logical NOT.",
    example: "!false",
  },
];

const ordered: [readonly Type[], Type][] = [
  ...numbers.flatMap((left) => numbers.map((right): [readonly Type[], Type] => [[left, right], boolType])),
  ...[boolType, stringType, bytesType, timestampType, durationType].map((type): [readonly Type[], Type] => [
    [type, type],
    boolType,
  ]),
];

function comparison(name: string, holds: (order: number) => boolean, example: string): FunctionDeclaration {
  const call = (left: Value, right: Value): Outcome => {
    const order = compare(left, right);
    return order instanceof Failure ? order : holds(order);
  };
  const summary = "Orders numbers of any type, strings and bytes by code points, booleans, times.";
  return { name, overloads: signatures(call, ordered, orderingCost), summary, example };
}

const comparisons: readonly FunctionDeclaration[] = [
  comparison("_<_", (order) => order < 0, "1 < 2"),
  comparison("_<=_", (order) => order <= 0, '"a" <= "b"'),
  comparison("_>_", (order) => order > 0, "2 > 1.5"),
  comparison("_>=_", (order) => order >= 0, "2u >= 2"),
];

const structural: readonly FunctionDeclaration[] = [
  {
    name: "_==_",
    overloads: planned(planEqual, [[[a, a], boolType]]),
    summary: "Deep equality; numbers are compared by value across types.",
    example: "[1, 2] == [1, 2] && dyn(1) == 1.0",
  },
  {
    name: "_!=_",
    overloads: planned(planUnequal, [[[a, a], boolType]]),
    summary: "Inequality.",
    example: '"a" != "b"',
  },
  {
    name: "@in",
    overloads: planned(planMembership, [
      [[a, listType(a)], boolType],
      [[a, mapType(a, b)], boolType],
    ]),
    summary: "Whether a list contains the element, or a map the key.",
    example: '"a" in ["a", "b"] && "k" in {"k": 1}',
  },
  {
    name: "_[_]",
    overloads: planned(planIndex, [
      [[listType(a), intType], a],
      [[mapType(a, b), a], b],
      [[optionalType(listType(a)), intType], optionalType(a)],
      [[optionalType(mapType(a, b)), a], optionalType(b)],
    ]),
    summary: "The element at an index, or the value of a key.",
    example: '[5, 6][1] == 6 && {"k": 1}["k"] == 1',
  },
  {
    name: "_[?_]",
    overloads: planned(planOptionalIndex, [
      [[listType(a), intType], optionalType(a)],
      [[mapType(a, b), a], optionalType(b)],
      [[optionalType(listType(a)), intType], optionalType(a)],
      [[optionalType(mapType(a, b)), a], optionalType(b)],
    ]),
    summary: "The same as an optional, which is empty if the index or key does not exist.",
    example: '!{"k": 1}[?"other"].hasValue()',
  },
  {
    name: "_?_:_",
    overloads: planned(planConditional, [[[boolType, a, a], a]]),
    summary: "One of two values; only that one is evaluated.",
    example: '(1 < 2 ? "yes" : "no") == "yes"',
  },
];

export const operators: readonly FunctionDeclaration[] = [...arithmetic, ...comparisons, ...structural];
