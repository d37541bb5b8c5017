import { matchesLabels } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { covered, type Demand, gain, heldOf, isCounting, isRegistered, poolsOf } from "./capacity.ts";
import { amountAt, at, textAt } from "./json-fields.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import { pagesOfClaim, type TrueClaim } from "./true-claim.ts";
import type { TruePage } from "./true-page.ts";
import { amountOf, consumerIn, pageId } from "./true-part.ts";

/** More than anybody in a simulated world has. */
const plenty = 10n ** 12n;

/** When nothing happens any more, everything is decided, and pages say what a recount gives. */
export function* restFaults(truth: QuotaTruth, nowMs: number): Generator<string> {
  for (const claim of truth.claims.values()) yield* claimFaults(claim, truth);
  for (const page of truth.pages.values()) yield* pageFaults(page, truth, nowMs);
  yield* missingPages(truth, nowMs);
}

/**
 * What is shown beside pages is what a recount gives, too. No decision goes by it: it may be wrong for some minutes after
 * somebody else has written it.
 */
export function* shownFaults(truth: QuotaTruth, nowMs: number): Generator<string> {
  for (const view of truth.views.values()) yield* viewFaults(view, truth, nowMs);
  yield* missingViews(truth);
  yield* totalFaults(truth, nowMs);
}

function* claimFaults(claim: TrueClaim, truth: QuotaTruth): Generator<string> {
  const name = `claim ${claim.key.plane}/${claim.key.namespace}/${claim.key.name} (${claim.uid})`;
  if (claim.deleting && claim.finalizers.length === 0) yield `${name} is still being deleted`;
  // Nobody decides a claim that goes; when it is gone is up to those who keep it.
  if (claim.state === "pending" && !claim.deleting) yield `${name} is still pending`;
  if (claim.state === "invalid" && isRegistered(truth, claim)) yield `${name} is called invalid, and is not`;
  const { automatic } = claim;
  if (automatic === undefined) return;
  if (claim.state === "denied") yield `${name} was denied long ago, and is still there`;
  if (claim.state === "granted" && automatic.object === "") yield `${name} is granted and bound to nothing`;
  if (automatic.object !== "" && !truth.objects.has(automatic.object))
    yield `${name} is for ${automatic.object}, which is gone`;
}

function* pageFaults(page: TruePage, truth: QuotaTruth, nowMs: number): Generator<string> {
  if (page.reservations.length > 0) yield `page ${page.id} still promises ${page.reservations.length} times`;
  const counting = [...truth.grants.values()].filter(
    (grant) => grantsTo(grant, page.id) && isCounting(truth, grant, nowMs),
  );
  const holders = new Set(heldOf(truth, page.id).map(({ uid }) => uid));
  const pools = poolsOf(truth, page.id, nowMs);
  yield* differences(`page ${page.id}`, page, {
    limit: amountOf(pools),
    ...figuresOf(truth, page.id, {}, nowMs),
    allocated: amountOf(heldOf(truth, page.id)),
    overage: amountOf(heldOf(truth, page.id)) - covered(pools, heldOf(truth, page.id)),
    claimCount: BigInt(holders.size),
    grantCount: BigInt(counting.length),
  });
  if (page.isOverLimit !== page.overage > 0n)
    yield `page ${page.id} has overage ${page.overage}, and OverLimit is ${page.isOverLimit}`;
  if (!isReferredTo(page.id, truth)) yield `page ${page.id} is of no grant and no claim any more`;
}

function* viewFaults(view: TruePage, truth: QuotaTruth, nowMs: number): Generator<string> {
  const pools = poolsOf(truth, view.id, nowMs);
  const serving = pools.filter(({ requirements }) => matchesLabels(requirements, view.dimensions));
  const name = `bucket ${view.id} ${view.dimensionKey}`;
  yield* differences(name, view, { limit: amountOf(serving), ...figuresOf(truth, view.id, view.dimensions, nowMs) });
  if (!truth.pages.has(view.id)) yield `${name} is there, and its page is not`;
}

/** What is used with these dimensions, and what one more request with them could get. */
function figuresOf(truth: QuotaTruth, page: string, dimensions: Readonly<Record<string, string>>, nowMs: number) {
  const held = heldOf(truth, page);
  const key = Object.keys(dimensions)
    .sort()
    .map((name) => `${name}=${dimensions[name]}`)
    .join(",");
  const more: Demand = { dimensions, dimensionKey: key, amount: plenty };
  return {
    allocated: amountOf(held.filter(({ dimensionKey }) => dimensionKey === key)),
    reserved: 0n,
    available: gain(poolsOf(truth, page, nowMs), held, [more]),
  };
}

function* missingPages(truth: QuotaTruth, nowMs: number): Generator<string> {
  const wanted = new Set<string>();
  for (const { key, consumer, held } of truth.claims.values()) {
    for (const { resourceType } of held) wanted.add(pageId(key.plane, consumer, resourceType));
  }
  for (const grant of truth.grants.values()) {
    if (!isCounting(truth, grant, nowMs)) continue;
    for (const { resourceType } of grant.pools) wanted.add(pageId(grant.key.plane, grant.consumer, resourceType));
  }
  for (const id of wanted) if (!truth.pages.has(id)) yield `page ${id} is missing`;
}

function* missingViews(truth: QuotaTruth): Generator<string> {
  for (const { key, consumer, held } of truth.claims.values()) {
    for (const { resourceType, dimensionKey } of held) {
      const view = `${pageId(key.plane, consumer, resourceType)} ${dimensionKey}`;
      if (dimensionKey !== "" && !truth.views.has(view)) yield `bucket ${view} is missing`;
    }
  }
}

/** The totals that people see. */
function* totalFaults(truth: QuotaTruth, nowMs: number): Generator<string> {
  const seen = new Set<string>();
  for (const { key, object } of truth.totals.values()) {
    const id = pageId(key.plane, consumerIn(at(object, "spec", "consumerRef")), textAt(object, "spec", "resourceType"));
    if (seen.has(id)) yield `there are two totals of ${id}`;
    seen.add(id);
    if (!truth.pages.has(id)) yield `the total of ${id} is there, and its page is not`;
    const [held, pools] = [heldOf(truth, id), poolsOf(truth, id, nowMs)];
    const shown = (name: string): bigint => amountAt(object, "status", name);
    yield* differences(
      `total of ${id}`,
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
  for (const id of truth.pages.keys()) if (!seen.has(id)) yield `the total of ${id} is missing`;
}

function* differences<Figure extends string>(
  name: string,
  shown: Readonly<Record<NoInfer<Figure>, bigint>>,
  counted: Readonly<Record<Figure, bigint>>,
): Generator<string> {
  for (const figure of Object.keys(counted) as Figure[]) {
    if (shown[figure] === counted[figure]) continue;
    yield `${name} says ${figure} is ${shown[figure]}, a recount says ${counted[figure]}`;
  }
}

function isReferredTo(page: string, truth: QuotaTruth): boolean {
  return (
    [...truth.grants.values()].some((grant) => grantsTo(grant, page)) ||
    [...truth.claims.values()].some((claim) => pagesOfClaim(claim).has(page))
  );
}

function grantsTo(
  grant: {
    readonly key: { readonly plane: string };
    readonly consumer: string;
    readonly pools: readonly { readonly resourceType: string }[];
  },
  page: string,
): boolean {
  return grant.pools.some(({ resourceType }) => pageId(grant.key.plane, grant.consumer, resourceType) === page);
}
