// Division of bigints towards minus infinity: the second before 1970 is -1, not 0.

export function floorDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend - floorMod(dividend, divisor)) / divisor;
}

export function floorMod(dividend: bigint, divisor: bigint): bigint {
  return ((dividend % divisor) + divisor) % divisor;
}
