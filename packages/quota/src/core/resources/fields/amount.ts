declare const amountBrand: unique symbol;

/**
 * A quantity of some resource in its base unit. Int64 on the wire, a bigint in here. There is no bare `+` on it:
 * arithmetic is the ledger's, where it can be read in one place.
 */
export type Amount = bigint & { readonly [amountBrand]: never };

export const amountMax = (2n ** 63n - 1n) as Amount;
export const noAmount = 0n as Amount;

/** For integers that a schema has accepted: whole, and within int64. */
export function amountOf(integer: number | bigint): Amount {
  const value = BigInt(integer);
  if (value > amountMax || value < -amountMax - 1n) throw new RangeError(`${value} does not fit into an int64`);
  return value as Amount;
}

/** How an amount stands in JSON: a plain number as long as that is exact. */
export function amountToJson(amount: Amount): number | bigint {
  const number = Number(amount);
  return Number.isSafeInteger(number) ? number : amount;
}
