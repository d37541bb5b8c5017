import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  parameterType,
  stringType,
  type Type,
  timestampType,
  uintType,
} from "../cel-type.ts";
import { equal } from "../values/equality.ts";
import { Failure, noSuchOverload } from "../values/failure.ts";
import { elementAt, elementsOf, listSize } from "../values/lists.ts";
import type { Meter } from "../values/meter.ts";
import { add } from "../values/numbers/checked-arithmetic.ts";
import { compare } from "../values/ordering.ts";
import { typeNameOf } from "../values/type-name.ts";
import { Duration, type List, type Outcome, Uint, type Value } from "../values/value.ts";
import { listCost } from "./costs.ts";
import { type FunctionDeclaration, type Library, method } from "./library.ts";

const a = parameterType("A");
const comparable: readonly Type[] = [
  ...[intType, uintType, doubleType, boolType, durationType, timestampType, stringType, bytesType],
];

function isSorted(list: List): Outcome {
  const elements = elementsOf(list);
  for (const [index, element] of elements.entries()) {
    const order = index === 0 ? 0 : compare(elements[index - 1] as Value, element);
    if (order instanceof Failure) return order;
    if (order > 0) return false;
  }
  return true;
}

/** The smallest (`sign` -1) or largest (1) element. */
function extreme(name: string, sign: -1 | 1) {
  return (list: List): Outcome => {
    const [first, ...rest] = elementsOf(list);
    if (first === undefined) return new Failure("invalid-argument", `${name} called on empty list`);
    let best = first;
    for (const element of rest) {
      const order = compare(element, best);
      if (order instanceof Failure) return order;
      if (order * sign > 0) best = element;
    }
    return best;
  };
}

const zeros: readonly (readonly [Type, Value])[] = [
  [intType, 0n],
  [uintType, new Uint(0n)],
  [doubleType, 0],
  [durationType, new Duration(0n)],
];

/** By the list's type, or else by its first element. */
function sumFrom(zero: Value) {
  return (list: List): Outcome => {
    const elements = elementsOf(list);
    let sum = elements.length === 0 ? zero : zeroLike(elements[0] as Value);
    for (const element of elements) {
      const next = sum === undefined ? noSuchOverload() : add(sum, element);
      if (next instanceof Failure) return next;
      sum = next;
    }
    return sum ?? zero;
  };
}

function zeroLike(value: Value): Value | undefined {
  return zeros.find(([, zero]) => typeNameOf(zero) === typeNameOf(value))?.[1];
}

function indexOf(list: List, wanted: Value, meter: Meter): Outcome {
  for (let index = 0; index < listSize(list); index += 1) {
    if (equal(elementAt(list, index), wanted, meter)) return BigInt(index);
  }
  return -1n;
}

function lastIndexOf(list: List, wanted: Value, meter: Meter): Outcome {
  for (let index = listSize(list) - 1; index >= 0; index -= 1) {
    if (equal(elementAt(list, index), wanted, meter)) return BigInt(index);
  }
  return -1n;
}

const min = extreme("min", -1);
const max = extreme("max", 1);

const functions: readonly FunctionDeclaration[] = [
  {
    name: "isSorted",
    overloads: comparable.map((type) => method([listType(type)], boolType, isSorted, listCost)),
    summary: "Whether the elements are in ascending order.",
    example: "[1, 2, 2].isSorted()",
  },
  {
    name: "sum",
    overloads: zeros.map(([type, zero]) => method([listType(type)], type, sumFrom(zero), listCost)),
    summary: "The sum of the elements.",
    example: "[1, 2, 3].sum() == 6",
  },
  {
    name: "min",
    overloads: comparable.map((type) => method([listType(type)], type, min, listCost)),
    summary: "The smallest element; an error if there is none.",
    example: "[2, 1, 3].min() == 1",
  },
  {
    name: "max",
    overloads: comparable.map((type) => method([listType(type)], type, max, listCost)),
    summary: "The largest element; an error if there is none.",
    example: "[2, 1, 3].max() == 3",
  },
  {
    name: "indexOf",
    overloads: [method([listType(a), a], intType, indexOf, listCost)],
    summary: "The index of the first equal element; -1 if there is none.",
    example: '["a", "b", "b"].indexOf("b") == 1',
  },
  {
    name: "lastIndexOf",
    overloads: [method([listType(a), a], intType, lastIndexOf, listCost)],
    summary: "The index of the last equal element; -1 if there is none.",
    example: '["a", "b", "b"].lastIndexOf("b") == 2',
  },
];

export const listsLibrary: Library = { name: "lists", functions, macros: [] };
