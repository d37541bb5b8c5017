import { boolType, doubleType, intType, quantityType, stringType } from "../cel-type.ts";
import { Failure } from "../values/failure.ts";
import { isInt64 } from "../values/numbers/int64.ts";
import { compareNumbers } from "../values/numbers/numbers.ts";
import {
  addQuantities,
  approximateUnits,
  negateQuantity,
  parseQuantity,
  type Quantity,
  quantityOf,
  wholeUnits,
} from "../values/numbers/quantity.ts";
import { callCost, textCost } from "./costs.ts";
import { type FunctionDeclaration, free, type Library, method } from "./library.ts";

/** A quantity as an int, if it is an integer. */
function integerOf(quantity: Quantity): bigint | undefined {
  const units = wholeUnits(quantity);
  return units !== undefined && isInt64(units) ? units : undefined;
}

function compareTo(left: Quantity, right: Quantity): number {
  return compareNumbers(left.nanos, right.nanos);
}

const sign = ({ nanos }: Quantity) => BigInt(compareNumbers(nanos, 0n));

const functions: readonly FunctionDeclaration[] = [
  {
    name: "quantity",
    overloads: [free([stringType], quantityType, parseQuantity, textCost)],
    summary: "Parses a Kubernetes quantity.",
    example: 'quantity("1Gi") == quantity("1024Mi")',
  },
  {
    name: "isQuantity",
    overloads: [free([stringType], boolType, (text) => !(parseQuantity(text) instanceof Failure), textCost)],
    summary: "Whether a string is a quantity.",
    example: 'isQuantity("1.5Gi") && !isQuantity("1.5GB")',
  },
  {
    name: "isInteger",
    overloads: [method([quantityType], boolType, (quantity) => integerOf(quantity) !== undefined, callCost)],
    summary: "Whether `asInteger` succeeds.",
    example: 'quantity("1.5Gi").isInteger() && !quantity("100m").isInteger()',
  },
  {
    name: "asInteger",
    overloads: [
      method(
        [quantityType],
        intType,
        (quantity) => integerOf(quantity) ?? new Failure("conversion", "cannot convert value to integer"),
        callCost,
      ),
    ],
    summary: "The value as an int; an error if it has a fraction or overflows.",
    example: 'quantity("1.5Gi").asInteger() == 1610612736',
  },
  {
    name: "asApproximateFloat",
    overloads: [method([quantityType], doubleType, approximateUnits, callCost)],
    summary: "The nearest double.",
    example: 'quantity("250m").asApproximateFloat() == 0.25',
  },
  {
    name: "sign",
    overloads: [method([quantityType], intType, sign, callCost), free([quantityType], intType, sign, callCost)],
    summary: "1, 0 or -1.",
    example: 'quantity("-5").sign() == -1',
  },
  {
    name: "add",
    overloads: [
      method([quantityType, quantityType], quantityType, addQuantities, callCost),
      method([quantityType, intType], quantityType, (left, right) => addQuantities(left, quantityOf(right)), callCost),
    ],
    summary: "The sum with a quantity or an int.",
    example: 'quantity("50k").add(20) == quantity("50020")',
  },
  {
    name: "sub",
    overloads: [
      method(
        [quantityType, quantityType],
        quantityType,
        (left, right) => addQuantities(left, negateQuantity(right)),
        callCost,
      ),
      method([quantityType, intType], quantityType, (left, right) => addQuantities(left, quantityOf(-right)), callCost),
    ],
    summary: "The difference to a quantity or an int.",
    example: 'quantity("50k").sub(quantity("20k")) == quantity("30k")',
  },
  {
    name: "isLessThan",
    overloads: [method([quantityType, quantityType], boolType, (left, right) => compareTo(left, right) < 0, callCost)],
    summary: "Whether it is smaller.",
    example: 'quantity("50M").isLessThan(quantity("50Mi"))',
  },
  {
    name: "isGreaterThan",
    overloads: [method([quantityType, quantityType], boolType, (left, right) => compareTo(left, right) > 0, callCost)],
    summary: "Whether it is larger.",
    example: 'quantity("1").isGreaterThan(quantity("999m"))',
  },
  {
    name: "compareTo",
    overloads: [
      method([quantityType, quantityType], intType, (left, right) => BigInt(compareTo(left, right)), callCost),
    ],
    summary: "-1, 0 or 1.",
    example: 'quantity("200M").compareTo(quantity("0.2G")) == 0',
  },
];

export const quantityLibrary: Library = { name: "quantity", functions, macros: [] };
