import { type Failure, noSuchOverload } from "./failure.ts";
import { asNumber, compareNumbers } from "./numbers/numbers.ts";
import { compareText } from "./text.ts";
import { Duration, Timestamp, type Value } from "./value.ts";

/** Negative, zero or positive; NaN where one side is not a number, so that every `<`, `>` and `==` on it is false. */
export function compare(left: Value, right: Value): number | Failure {
  const number = asNumber(left);
  if (number !== undefined) {
    const other = asNumber(right);
    return other === undefined ? noSuchOverload() : compareNumbers(number, other);
  }
  if (typeof left === "string") return typeof right === "string" ? compareText(left, right) : noSuchOverload();
  if (typeof left === "boolean") {
    return typeof right === "boolean" ? Number(left) - Number(right) : noSuchOverload();
  }
  return compareObjects(left, right);
}

function compareObjects(left: Value, right: Value): number | Failure {
  if (left instanceof Timestamp && right instanceof Timestamp) return compareNumbers(left.nanos, right.nanos);
  if (left instanceof Duration && right instanceof Duration) return compareNumbers(left.nanos, right.nanos);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  return noSuchOverload();
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const index = left.findIndex((byte, position) => byte !== right[position]);
  if (index < 0) return left.length - right.length;
  return index >= right.length ? 1 : (left[index] as number) - (right[index] as number);
}
