import { Failure } from "../failure.ts";

export const int64Max = 2n ** 63n - 1n;

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

export function isUint64(value: bigint): boolean {
  return BigInt.asUintN(64, value) === value;
}

export function int64OrOverflow(value: bigint): bigint | Failure {
  return isInt64(value) ? value : new Failure("overflow", "integer overflow");
}
