import { matchesLabels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import type { TrueClaim } from "./true-claim.ts";
import type { TrueGrant, TruePool } from "./true-grant.ts";
import { amountOf, pageId, type TruePart } from "./true-part.ts";

/** What is used, or asked for, with some dimensions. */
export type Demand = Pick<TruePart, "dimensions" | "dimensionKey" | "amount">;

/** What the grants of a page give that count at a time. */
export function poolsOf(truth: QuotaTruth, page: string, nowMs: number): readonly TruePool[] {
  return [...truth.grants.values()]
    .filter((grant) => isCounting(truth, grant, nowMs))
    .flatMap(({ key, consumer, pools }) =>
      pools.filter(({ resourceType }) => pageId(key.plane, consumer, resourceType) === page),
    );
}

/** Whether a grant counts at a time: all of it is registered, it has not expired, and nobody deletes it. */
export function isCounting(truth: QuotaTruth, grant: TrueGrant, nowMs: number): boolean {
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

/** Whether registrations allow a claim to be decided at all. */
export function isRegistered(truth: QuotaTruth, claim: TrueClaim): boolean {
  return claim.asked.every(({ resourceType, dimensions }) =>
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

/** What granted claims hold of a page, but for those that still have a promise on it. */
export function heldBeside(truth: QuotaTruth, page: string): readonly TruePart[] {
  const promised = new Set(truth.pages.get(page)?.reservations.map(({ uid }) => uid));
  return heldOf(truth, page).filter(({ uid }) => !promised.has(uid));
}

/** What granted claims hold of a page. */
export function heldOf(truth: QuotaTruth, page: string): readonly (TruePart & { readonly uid: string })[] {
  return [...truth.claims.values()].flatMap(({ key, consumer, held, uid }) =>
    held
      .filter(({ resourceType }) => pageId(key.plane, consumer, resourceType) === page)
      .map((part) => ({ ...part, uid })),
  );
}

/** How much more pools can cover with further demands than without them. */
export function gain(pools: readonly TruePool[], base: readonly Demand[], further: readonly Demand[]): bigint {
  return covered(pools, [...base, ...further]) - covered(pools, base);
}

/**
 * How much of some demands pools can cover: by the theorem of the smallest cut, over every choice of demands, what the
 * choice leaves out plus all that serves the rest. There are few sets of dimensions in a simulated world.
 */
export function covered(pools: readonly TruePool[], demands: readonly Demand[]): bigint {
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
