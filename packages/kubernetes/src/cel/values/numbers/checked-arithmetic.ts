import { Failure, noSuchOverload } from "../failure.ts";
import { concatenate } from "../lists.ts";
import { durationOrOverflow } from "../time/durations.ts";
import { timestampOrOverflow } from "../time/timestamps.ts";
import { Duration, isList, type Outcome, Timestamp, Uint, type Value } from "../value.ts";
import { int64OrOverflow, isUint64 } from "./int64.ts";

export function add(left: Value, right: Value): Outcome {
  if (typeof left === "bigint" && typeof right === "bigint") return int64OrOverflow(left + right);
  if (typeof left === "string" && typeof right === "string") return left + right;
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (left instanceof Uint && right instanceof Uint) return uint64OrOverflow(left.value + right.value);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return concatenateBytes(left, right);
  if (isList(left) && isList(right)) return concatenate(left, right);
  return addTimes(left, right);
}

function addTimes(left: Value, right: Value): Outcome {
  if (left instanceof Timestamp && right instanceof Duration) return timestampOrOverflow(left.nanos + right.nanos);
  if (left instanceof Duration && right instanceof Timestamp) return timestampOrOverflow(left.nanos + right.nanos);
  if (left instanceof Duration && right instanceof Duration) return durationOrOverflow(left.nanos + right.nanos);
  return noSuchOverload();
}

export function subtract(left: Value, right: Value): Outcome {
  if (typeof left === "bigint" && typeof right === "bigint") return int64OrOverflow(left - right);
  if (typeof left === "number" && typeof right === "number") return left - right;
  if (left instanceof Uint && right instanceof Uint) return uint64OrOverflow(left.value - right.value);
  if (left instanceof Timestamp && right instanceof Duration) return timestampOrOverflow(left.nanos - right.nanos);
  if (left instanceof Timestamp && right instanceof Timestamp) return durationOrOverflow(left.nanos - right.nanos);
  if (left instanceof Duration && right instanceof Duration) return durationOrOverflow(left.nanos - right.nanos);
  return noSuchOverload();
}

export function multiply(left: Value, right: Value): Outcome {
  if (typeof left === "bigint" && typeof right === "bigint") return int64OrOverflow(left * right);
  if (typeof left === "number" && typeof right === "number") return left * right;
  if (left instanceof Uint && right instanceof Uint) return uint64OrOverflow(left.value * right.value);
  return noSuchOverload();
}

export function divide(left: Value, right: Value): Outcome {
  if (typeof left === "number" && typeof right === "number") return left / right;
  if (isZero(right)) return new Failure("division-by-zero", "division by zero");
  if (typeof left === "bigint" && typeof right === "bigint") return int64OrOverflow(left / right);
  if (left instanceof Uint && right instanceof Uint) return new Uint(left.value / right.value);
  return noSuchOverload();
}

export function modulo(left: Value, right: Value): Outcome {
  if (isZero(right)) return new Failure("division-by-zero", "modulus by zero");
  // The smallest int has no positive counterpart: its remainder overflows like its quotient.
  if (typeof left === "bigint" && typeof right === "bigint") {
    return right === -1n ? zeroOrOverflow(left) : left % right;
  }
  if (left instanceof Uint && right instanceof Uint) return new Uint(left.value % right.value);
  return noSuchOverload();
}

export function negate(operand: Value): Outcome {
  if (typeof operand === "bigint") return int64OrOverflow(-operand);
  if (typeof operand === "number") return -operand;
  return noSuchOverload();
}

function zeroOrOverflow(left: bigint): Outcome {
  const quotient = int64OrOverflow(-left);
  return quotient instanceof Failure ? quotient : 0n;
}

function isZero(value: Value): boolean {
  return value === 0n || (value instanceof Uint && value.value === 0n);
}

function uint64OrOverflow(value: bigint): Outcome {
  return isUint64(value) ? new Uint(value) : new Failure("overflow", "unsigned integer overflow");
}

function concatenateBytes(left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(left.length + right.length);
  bytes.set(left);
  bytes.set(right, left.length);
  return bytes;
}
