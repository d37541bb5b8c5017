import { boolType, doubleType, dynType, intType, listType, type Type, uintType } from "../cel-type.ts";
import { Failure, noSuchOverload } from "../values/failure.ts";
import { elementsOf } from "../values/lists.ts";
import { negate } from "../values/numbers/checked-arithmetic.ts";
import { asNumber, compareNumbers } from "../values/numbers/numbers.ts";
import { isList, type Outcome, Uint, type Value } from "../values/value.ts";
import { callCost } from "./costs.ts";
import { type FunctionDeclaration, free, type Library, type Overload, signatures } from "./library.ts";

const numbers: readonly Type[] = [intType, uintType, doubleType];
const argumentsMax = 10;

type Signature = readonly [readonly Type[], Type];

/** One number or a list of them, two of any types, or any number of dynamic values. */
const extremeSignatures: readonly Signature[] = [
  ...numbers.map((type): Signature => [[type], type]),
  ...[...numbers, dynType].map((type): Signature => [[listType(type)], type]),
  ...numbers.flatMap((left) => numbers.map((right): Signature => [[left, right], left === right ? left : dynType])),
  ...Array.from({ length: argumentsMax - 2 }, (_, index): Signature => [Array(index + 3).fill(dynType), dynType]),
];

/** The largest (`sign` 1) or smallest (-1) argument; the first of equals. */
function extreme(name: string, sign: -1 | 1) {
  return (...argumentsThenMeter: Value[]): Outcome => {
    const args = argumentsThenMeter.slice(0, -1);
    const [first, ...rest] = args.length === 1 ? listOrItself(args[0] as Value) : args;
    if (first === undefined) return new Failure("invalid-argument", `${name}(list) argument must not be empty`);
    let best = first;
    for (const value of rest) {
      const [one, two] = [asNumber(value), asNumber(best)];
      if (one === undefined || two === undefined) return noSuchOverload();
      if (compareNumbers(one, two) * sign > 0) best = value;
    }
    return asNumber(best) === undefined ? noSuchOverload() : best;
  };
}

function extremeCost(...args: Value[]): number {
  return args.length === 1 ? listOrItself(args[0] as Value).length : 1;
}

function listOrItself(value: Value): readonly Value[] {
  return isList(value) ? elementsOf(value) : [value];
}

function rounding(
  name: string,
  round: (value: number) => number,
  summary: string,
  example: string,
): FunctionDeclaration {
  return { name, overloads: [free([doubleType], doubleType, round, callCost)], summary, example };
}

function test(name: string, holds: (value: number) => boolean, summary: string, example: string): FunctionDeclaration {
  return { name, overloads: [free([doubleType], boolType, holds, callCost)], summary, example };
}

/** Half away from zero; JavaScript rounds half up. */
function round(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

function sameSign(value: bigint): bigint {
  return value > 0n ? 1n : value < 0n ? -1n : 0n;
}

/** A bitwise function on two ints or two uints, as 64 bits. */
function onBits(combine: (left: bigint, right: bigint) => bigint): [Overload, Overload] {
  return [
    free([intType, intType], intType, (left, right) => BigInt.asIntN(64, combine(left, right)), callCost),
    free([uintType, uintType], uintType, (left, right) => new Uint(combine(left.value, right.value)), callCost),
  ];
}

function shift(name: string, move: (bits: bigint, by: bigint) => bigint): [Overload, Overload] {
  const shifted = (bits: bigint, by: bigint): bigint | Failure => {
    if (by < 0n) return new Failure("invalid-argument", `${name}() negative offset: ${by}`);
    return by >= 64n ? 0n : move(BigInt.asUintN(64, bits), by);
  };
  return [
    free(
      [intType, intType],
      intType,
      (value, by) => {
        const bits = shifted(value, by);
        return bits instanceof Failure ? bits : BigInt.asIntN(64, bits);
      },
      callCost,
    ),
    free(
      [uintType, intType],
      uintType,
      (value, by) => {
        const bits = shifted(value.value, by);
        return bits instanceof Failure ? bits : new Uint(BigInt.asUintN(64, bits));
      },
      callCost,
    ),
  ];
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "math.greatest",
    overloads: signatures(extreme("math.greatest", 1), extremeSignatures, extremeCost),
    summary: "The largest of up to ten numbers, or of a list of them.",
    example: "math.greatest(1, 3, 2) == 3",
  },
  {
    name: "math.least",
    overloads: signatures(extreme("math.least", -1), extremeSignatures, extremeCost),
    summary: "The smallest of up to ten numbers, or of a list of them.",
    example: "math.least([5, 1]) == 1",
  },
  rounding("math.ceil", Math.ceil, "The next whole number up.", "math.ceil(1.2) == 2.0"),
  rounding("math.floor", Math.floor, "The next whole number down.", "math.floor(-1.2) == -2.0"),
  rounding("math.round", round, "The nearest whole number, halves away from zero.", "math.round(-1.5) == -2.0"),
  rounding("math.trunc", Math.trunc, "Without the fraction.", "math.trunc(-1.9) == -1.0"),
  {
    name: "math.abs",
    overloads: [
      free([intType], intType, (value) => (value < 0n ? negate(value) : value), callCost),
      free([uintType], uintType, (value) => value, callCost),
      free([doubleType], doubleType, Math.abs, callCost),
    ],
    summary: "The absolute value.",
    example: "math.abs(-5) == 5",
  },
  {
    name: "math.sign",
    overloads: [
      free([intType], intType, sameSign, callCost),
      free([uintType], uintType, ({ value }) => new Uint(sameSign(value)), callCost),
      free([doubleType], doubleType, Math.sign, callCost),
    ],
    summary: "1, 0 or -1.",
    example: "math.sign(-5) == -1",
  },
  test("math.isNaN", Number.isNaN, "Whether a double is not a number.", "math.isNaN(0.0 / 0.0)"),
  test(
    "math.isInf",
    (value) => Math.abs(value) === Number.POSITIVE_INFINITY,
    "Whether it is infinite.",
    "math.isInf(1.0 / 0.0)",
  ),
  test("math.isFinite", Number.isFinite, "Whether it is neither.", "math.isFinite(1.5)"),
  {
    name: "math.sqrt",
    overloads: [
      free([doubleType], doubleType, Math.sqrt, callCost),
      free([intType], doubleType, (value) => Math.sqrt(Number(value)), callCost),
      free([uintType], doubleType, ({ value }) => Math.sqrt(Number(value)), callCost),
    ],
    summary: "The square root.",
    example: "math.sqrt(16) == 4.0",
  },
  {
    name: "math.bitAnd",
    overloads: onBits((left, right) => left & right),
    summary: "Bitwise AND.",
    example: "math.bitAnd(6, 3) == 2",
  },
  {
    name: "math.bitOr",
    overloads: onBits((left, right) => left | right),
    summary: "Bitwise OR.",
    example: "math.bitOr(6, 3) == 7",
  },
  {
    name: "math.bitXor",
    overloads: onBits((left, right) => left ^ right),
    summary: "Bitwise XOR.",
    example: "math.bitXor(6, 3) == 5",
  },
  {
    name: "math.bitNot",
    overloads: [
      free([intType], intType, (value) => ~value, callCost),
      free([uintType], uintType, ({ value }) => new Uint(BigInt.asUintN(64, ~value)), callCost),
    ],
    summary: "Bitwise NOT.",
    example: "math.bitNot(0) == -1",
  },
  {
    name: "math.bitShiftLeft",
    overloads: shift("math.bitShiftLeft", (bits, by) => bits << by),
    summary: "Shifts bits to the left, filling with zeros.",
    example: "math.bitShiftLeft(1, 4) == 16",
  },
  {
    name: "math.bitShiftRight",
    overloads: shift("math.bitShiftRight", (bits, by) => bits >> by),
    summary: "Shifts bits to the right, filling with zeros, also for negative ints.",
    example: "math.bitShiftRight(16, 4) == 1",
  },
];

export const mathLibrary: Library = { name: "math", functions, macros: [] };
