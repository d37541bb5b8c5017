import { matchesLabels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { countingPools, covered, type Demand, gain, heldOf, isCounting, isRegistered } from "./capacity.ts";
import { amountAt, at, textAt } from "./json-fields.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import { amountOf, bucketId, consumerIn } from "./stored-amount.ts";
import type { StoredBucket } from "./stored-bucket.ts";
import { bucketsOfClaim, type StoredClaim } from "./stored-claim.ts";

/** More than any grant of a simulation. */
const plenty = 10n ** 12n;

/** I9: in a settled world, all claims are decided and all ledger buckets equal a recount. */
export function* quiescenceViolations(truth: QuotaTruth, nowMs: number): Generator<string> {
  for (const claim of truth.claims.values()) yield* claimViolations(claim, truth);
  for (const bucket of truth.buckets.values()) yield* bucketViolations(bucket, truth, nowMs);
  yield* missingBuckets(truth, nowMs);
}

/**
 * I9 for figures that no decision reads: dimension buckets and EffectiveResourceGrants. After a foreign write they may be
 * wrong until the next resync, some minutes later.
 */
export function* displayedFigureViolations(truth: QuotaTruth, nowMs: number): Generator<string> {
  for (const view of truth.dimensionBuckets.values()) yield* dimensionBucketViolations(view, truth, nowMs);
  yield* missingDimensionBuckets(truth);
  yield* effectiveGrantViolations(truth, nowMs);
}

function* claimViolations(claim: StoredClaim, truth: QuotaTruth): Generator<string> {
  const name = `claim ${claim.key.plane}/${claim.key.namespace}/${claim.key.name} (${claim.uid})`;
  if (claim.deleting && claim.finalizers.length === 0) yield `${name} is still being deleted`;
  // A claim that is being deleted is not decided, and stays as long as other finalizers keep it.
  if (claim.state === "pending" && !claim.deleting) yield `${name} is still pending`;
  if (claim.state === "invalid" && isRegistered(truth, claim)) yield `${name} is marked invalid but is valid`;
  const { automatic } = claim;
  if (automatic === undefined) return;
  if (claim.state === "denied") yield `${name} was denied long ago but still exists`;
  if (claim.state === "granted" && automatic.object === "") yield `${name} is granted but not bound`;
  if (automatic.object !== "" && !truth.objects.has(automatic.object))
    yield `${name} is for object ${automatic.object}, which does not exist`;
}

function* bucketViolations(bucket: StoredBucket, truth: QuotaTruth, nowMs: number): Generator<string> {
  if (bucket.reservations.length > 0) yield `bucket ${bucket.id} still has ${bucket.reservations.length} reservations`;
  const counting = [...truth.grants.values()].filter(
    (grant) => grantsTo(grant, bucket.id) && isCounting(truth, grant, nowMs),
  );
  const holders = new Set(heldOf(truth, bucket.id).map(({ uid }) => uid));
  const pools = countingPools(truth, bucket.id, nowMs);
  yield* differences(`bucket ${bucket.id}`, bucket, {
    limit: amountOf(pools),
    ...figuresOf(truth, bucket.id, {}, nowMs),
    allocated: amountOf(heldOf(truth, bucket.id)),
    available: amountOf(pools) - covered(pools, heldOf(truth, bucket.id)),
    overage: amountOf(heldOf(truth, bucket.id)) - covered(pools, heldOf(truth, bucket.id)),
    claimCount: BigInt(holders.size),
    grantCount: BigInt(counting.length),
  });
  if (bucket.isOverLimit !== bucket.overage > 0n)
    yield `bucket ${bucket.id} has overage ${bucket.overage}, but OverLimit is ${bucket.isOverLimit}`;
  if (!isReferredTo(bucket.id, truth)) yield `bucket ${bucket.id} has no grant and no claim`;
}

function* dimensionBucketViolations(view: StoredBucket, truth: QuotaTruth, nowMs: number): Generator<string> {
  const pools = countingPools(truth, view.id, nowMs);
  const serving = pools.filter(({ requirements }) => matchesLabels(requirements, view.dimensions));
  const name = `bucket ${view.id} ${view.dimensionKey}`;
  yield* differences(name, view, { limit: amountOf(serving), ...figuresOf(truth, view.id, view.dimensions, nowMs) });
  if (!truth.buckets.has(view.id)) yield `${name} exists without its ledger bucket`;
}

/** What is used with these dimensions, and how much one more request with them could get. */
function figuresOf(truth: QuotaTruth, bucket: string, dimensions: Readonly<Record<string, string>>, nowMs: number) {
  const held = heldOf(truth, bucket);
  const key = Object.keys(dimensions)
    .sort()
    .map((name) => `${name}=${dimensions[name]}`)
    .join(",");
  const more: Demand = { dimensions, dimensionKey: key, amount: plenty };
  return {
    allocated: amountOf(held.filter(({ dimensionKey }) => dimensionKey === key)),
    reserved: 0n,
    available: gain(countingPools(truth, bucket, nowMs), held, [more]),
  };
}

function* missingBuckets(truth: QuotaTruth, nowMs: number): Generator<string> {
  const wanted = new Set<string>();
  for (const { key, consumer, held } of truth.claims.values()) {
    for (const { resourceType } of held) wanted.add(bucketId(key.plane, consumer, resourceType));
  }
  for (const grant of truth.grants.values()) {
    if (!isCounting(truth, grant, nowMs)) continue;
    for (const { resourceType } of grant.pools) wanted.add(bucketId(grant.key.plane, grant.consumer, resourceType));
  }
  for (const id of wanted) if (!truth.buckets.has(id)) yield `bucket ${id} is missing`;
}

function* missingDimensionBuckets(truth: QuotaTruth): Generator<string> {
  for (const { key, consumer, held } of truth.claims.values()) {
    for (const { resourceType, dimensionKey } of held) {
      const view = `${bucketId(key.plane, consumer, resourceType)} ${dimensionKey}`;
      if (dimensionKey !== "" && !truth.dimensionBuckets.has(view)) yield `bucket ${view} is missing`;
    }
  }
}

/** Checks EffectiveResourceGrants. */
function* effectiveGrantViolations(truth: QuotaTruth, nowMs: number): Generator<string> {
  const seen = new Set<string>();
  for (const { key, object } of truth.effectiveGrants.values()) {
    const id = bucketId(
      key.plane,
      consumerIn(at(object, "spec", "consumerRef")),
      textAt(object, "spec", "resourceType"),
    );
    if (seen.has(id)) yield `there are two effective grants of ${id}`;
    seen.add(id);
    if (!truth.buckets.has(id)) yield `the effective grant of ${id} exists without its bucket`;
    const [held, pools] = [heldOf(truth, id), countingPools(truth, id, nowMs)];
    const shown = (name: string): bigint => amountAt(object, "status", name);
    yield* differences(
      `effective grant of ${id}`,
      {
        limit: shown("totalLimit"),
        allocated: shown("totalAllocated"),
        reserved: shown("totalReserved"),
        available: shown("available"),
      },
      {
        limit: amountOf(pools),
        allocated: amountOf(held),
        reserved: 0n,
        available: amountOf(pools) - covered(pools, held),
      },
    );
  }
  for (const id of truth.buckets.keys()) if (!seen.has(id)) yield `the effective grant of ${id} is missing`;
}

function* differences<Figure extends string>(
  name: string,
  shown: Readonly<Record<NoInfer<Figure>, bigint>>,
  counted: Readonly<Record<Figure, bigint>>,
): Generator<string> {
  for (const figure of Object.keys(counted) as Figure[]) {
    if (shown[figure] === counted[figure]) continue;
    yield `${name}: ${figure} is ${shown[figure]}, a recount gives ${counted[figure]}`;
  }
}

function isReferredTo(bucket: string, truth: QuotaTruth): boolean {
  return (
    [...truth.grants.values()].some((grant) => grantsTo(grant, bucket)) ||
    [...truth.claims.values()].some((claim) => bucketsOfClaim(claim).has(bucket))
  );
}

function grantsTo(
  grant: {
    readonly key: { readonly plane: string };
    readonly consumer: string;
    readonly pools: readonly { readonly resourceType: string }[];
  },
  bucket: string,
): boolean {
  return grant.pools.some(({ resourceType }) => bucketId(grant.key.plane, grant.consumer, resourceType) === bucket);
}
