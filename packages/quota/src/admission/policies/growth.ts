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
 * A claim for what an object asks for beyond what it asked for before, if it did; undefined when that is nothing. Its name
 * is the same for every retry of one change, and another for the next, even if that is for just as much: a claim that the
 * object had before may be about to go.
 */
export function growthOf(
  before: RenderedClaim | undefined,
  now: RenderedClaim,
  oldVersion: string,
): RenderedClaim | undefined {
  const isSameConsumer = before !== undefined && consumerKey(before.consumer) === consumerKey(now.consumer);
  const requests = isSameConsumer ? grown(before.requests, now.requests) : now.requests;
  if (requests.length === 0) return undefined;
  const hash = stableHash([now.name, oldVersion, ...requests.map(textOf)], hashLength);
  return { ...now, requests, name: readableName([now.name], hash) };
}

/** What an object needs by a policy from now on, where that is less than before. */
export interface ReducedNeed {
  readonly policy: string;
  /** Undefined when the policy is not about it any more, or it needs nothing. */
  readonly needed: Pick<RenderedClaim, "consumer" | "requests"> | undefined;
}

/** Undefined when an object needs no less of anything than before. */
export function reducedNeed(
  policy: string,
  before: RenderedClaim | undefined,
  now: RenderedClaim | undefined,
): ReducedNeed | undefined {
  if (before === undefined) return undefined;
  if (now === undefined || consumerKey(before.consumer) !== consumerKey(now.consumer)) return { policy, needed: now };
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
