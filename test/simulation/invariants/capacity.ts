import { matchesLabels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import { amountOf, bucketId, type StoredAmount } from "./stored-amount.ts";
import type { StoredClaim } from "./stored-claim.ts";
import type { StoredGrant, StoredPool } from "./stored-grant.ts";

/** An amount in use or requested, with dimensions. */
export type Demand = Pick<StoredAmount, "dimensions" | "dimensionKey" | "amount">;

/** Pools of a bucket from the grants that count at a time. */
export function countingPools(truth: QuotaTruth, bucket: string, nowMs: number): readonly StoredPool[] {
  return [...truth.grants.values()]
    .filter((grant) => isCounting(truth, grant, nowMs))
    .flatMap(({ key, consumer, pools }) =>
      pools.filter(({ resourceType }) => bucketId(key.plane, consumer, resourceType) === bucket),
    );
}

/** Whether a grant counts at a time: all its types are registered, and it is neither expired nor being deleted. */
export function isCounting(truth: QuotaTruth, grant: StoredGrant, nowMs: number): boolean {
  if (grant.deleting || (grant.expiresMs !== undefined && grant.expiresMs <= nowMs)) return false;
  return grant.pools.every(({ resourceType, requirements }) =>
    [...truth.registrations.values()].some(
      (registration) =>
        registration.isActive &&
        registration.resourceType === resourceType &&
        registration.consumerKind === grant.consumerKind &&
        requirements.every(({ key }) => registration.dimensions.includes(key)),
    ),
  );
}

/** Whether active registrations cover all requests of a claim. */
export function isRegistered(truth: QuotaTruth, claim: StoredClaim): boolean {
  return claim.requested.every(({ resourceType, dimensions }) =>
    [...truth.registrations.values()].some(
      (registration) =>
        registration.isActive &&
        !registration.isFeature &&
        registration.resourceType === resourceType &&
        registration.consumerKind === claim.consumerKind &&
        (claim.resourceKind === "" || registration.claimingKinds.includes(claim.resourceKind)) &&
        Object.keys(dimensions).every((name) => registration.dimensions.includes(name)),
    ),
  );
}

/** Allocations of granted claims that have no reservation in the bucket. */
export function heldWithoutReservation(truth: QuotaTruth, bucket: string): readonly StoredAmount[] {
  const reserved = new Set(truth.buckets.get(bucket)?.reservations.map(({ uid }) => uid));
  return heldOf(truth, bucket).filter(({ uid }) => !reserved.has(uid));
}

/** Allocations of granted claims in a bucket. */
export function heldOf(truth: QuotaTruth, bucket: string): readonly (StoredAmount & { readonly uid: string })[] {
  return [...truth.claims.values()].flatMap(({ key, consumer, held, uid }) =>
    held
      .filter(({ resourceType }) => bucketId(key.plane, consumer, resourceType) === bucket)
      .map((part) => ({ ...part, uid })),
  );
}

/** How much more of the demands pools cover with the further ones than without them. */
export function gain(pools: readonly StoredPool[], base: readonly Demand[], further: readonly Demand[]): bigint {
  return covered(pools, [...base, ...further]) - covered(pools, base);
}

/**
 * How much of the demands pools can cover: the maximum flow, computed as the minimum cut over all subsets of demands. This
 * is exponential, but simulations have few sets of dimensions.
 */
export function covered(pools: readonly StoredPool[], demands: readonly Demand[]): bigint {
  const sums = summed(demands);
  let least = amountOf(sums);
  for (let choice = 1; choice < 2 ** sums.length; choice += 1) {
    const chosen = sums.filter((_, at) => (choice & (1 << at)) !== 0);
    const left = sums.filter((_, at) => (choice & (1 << at)) === 0);
    const serving = pools.filter(({ requirements }) =>
      chosen.some(({ dimensions }) => matchesLabels(requirements, dimensions)),
    );
    const cut = amountOf(left) + amountOf(serving);
    if (cut < least) least = cut;
  }
  return least;
}

function summed(demands: readonly Demand[]): readonly Demand[] {
  const sums = new Map<string, Demand>();
  for (const { dimensions, dimensionKey, amount } of demands) {
    const before = sums.get(dimensionKey)?.amount ?? 0n;
    sums.set(dimensionKey, { dimensions, dimensionKey, amount: before + amount });
  }
  return [...sums.values()];
}
