import { usedPercentMax as percentMax } from "../resources/allowance-bucket.ts";
import type { Amount } from "../resources/fields/amount.ts";

/** All arithmetic on amounts. Sums may exceed int64, because bigints do not overflow; bucket statuses are capped to it. */

export function plus(left: Amount, right: Amount): Amount {
  return (left + right) as Amount;
}

export function minus(left: Amount, right: Amount): Amount {
  return (left - right) as Amount;
}

/** Never below 0: buckets show a deficit as overage, not as a negative amount. */
export function minusOrNone(left: Amount, right: Amount): Amount {
  return (left > right ? left - right : 0n) as Amount;
}

export function least(left: Amount, right: Amount): Amount {
  return left < right ? left : right;
}

export function total(amounts: Iterable<Amount>): Amount {
  let sum = 0n;
  for (const amount of amounts) sum += amount;
  return sum as Amount;
}

/** Use in percent of a limit, rounded down. Any use of a zero limit is 100; the result is capped at a million. */
export function percentOf(used: Amount, limit: Amount): number {
  if (limit === 0n) return used === 0n ? 0 : 100;
  return Math.min(Number((used * 100n) / limit), percentMax);
}
