declare const amountBrand: unique symbol;

/**
 * An amount of a resource in base units: an int64 in the API, a bigint in the code. The branded type prevents arithmetic
 * outside of the ledger.
 */
export type Amount = bigint & { readonly [amountBrand]: never };

export const amountMax = (2n ** 63n - 1n) as Amount;
export const noAmount = 0n as Amount;

/** For integers that a schema has validated. */
export function amountOf(integer: number | bigint): Amount {
  const value = BigInt(integer);
  if (value > amountMax || value < -amountMax - 1n) throw new RangeError(`${value} does not fit into an int64`);
  return value as Amount;
}

/** A plain number if that is exact. */
export function amountToJson(amount: Amount): number | bigint {
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount;
}
