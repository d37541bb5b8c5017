import { minusOrNone } from "../../core/ledger/arithmetic.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { noAmount } from "../../core/resources/fields/amount.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import { readableName } from "../../core/resources/object-names.ts";
import type { ClaimRequest } from "../../core/resources/resource-claim.ts";
import { stableHash } from "../../core/resources/stable-hash.ts";

const hashLength = 20;

/**
 * A claim for the growth of an object's need; undefined when nothing grows. Its name is the same for every retry of one
 * change, and differs for every other change, even one by the same amount: an earlier claim may be about to be deleted.
 */
export function growthOf(
  before: RenderedClaim | undefined,
  now: RenderedClaim,
  oldVersion: string,
): RenderedClaim | undefined {
  const requests = hasSameConsumer(before, now) ? grown(before.requests, now.requests) : now.requests;
  if (requests.length === 0) return undefined;
  const hash = stableHash([now.name, oldVersion, ...requests.map(textOf)], hashLength);
  return { ...now, requests, name: readableName([now.name], hash) };
}

export function hasSameConsumer(before: RenderedClaim | undefined, now: RenderedClaim): before is RenderedClaim {
  return before !== undefined && consumerKey(before.consumer) === consumerKey(now.consumer);
}

/** The need of an object by a policy after a change that reduces it. */
export interface ReducedNeed {
  readonly policy: string;
  /** Undefined when the policy no longer applies to the object, or renders no claim. */
  readonly needed: Pick<RenderedClaim, "consumer" | "requests"> | undefined;
}

/** Undefined when no amount is smaller than before. */
export function reducedNeed(
  policy: string,
  before: RenderedClaim | undefined,
  now: RenderedClaim | undefined,
): ReducedNeed | undefined {
  if (before === undefined) return undefined;
  if (now === undefined || !hasSameConsumer(before, now)) return { policy, needed: now };
  return grown(now.requests, before.requests).length === 0 ? undefined : { policy, needed: now };
}

function grown(before: readonly ClaimRequest[], now: readonly ClaimRequest[]): readonly ClaimRequest[] {
  const had = new Map(before.map((request) => [keyOf(request), request.amount]));
  return now.flatMap((request) => {
    const amount = minusOrNone(request.amount, had.get(keyOf(request)) ?? noAmount);
    return amount === noAmount ? [] : [{ ...request, amount }];
  });
}

function keyOf({ resourceType, dimensions }: ClaimRequest): string {
  return `${resourceType} ${dimensionKey(dimensions)}`;
}

function textOf(request: ClaimRequest): string {
  return `${keyOf(request)} ${request.amount}`;
}
