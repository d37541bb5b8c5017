import { Uint, type Value } from "../value.ts";

/** A number of any type: ints and uints are compared exactly, and with doubles as doubles. */
export function asNumber(value: Value): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return value instanceof Uint ? value.value : undefined;
}

/** Negative, zero or positive; NaN if one side is not a number. */
export function compareNumbers(left: bigint | number, right: bigint | number): number {
  // Near 2^63 a double stands for a thousand ints, and is equal to each of them; every implementation agrees on that.
  if (typeof left !== typeof right) return compareNumbers(Number(left), Number(right));
  if (left < right) return -1;
  if (left > right) return 1;
  return left === right ? 0 : Number.NaN;
}
