import { plus } from "../../core/ledger/arithmetic.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { type Amount, noAmount } from "../../core/resources/fields/amount.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import type { ClaimRequest } from "../../core/resources/resource-claim.ts";
import type { QuotaKey } from "../answers/usage-view.ts";

/** What all claims of a change take together from one bucket. */
export interface Need {
  /** Tells buckets apart. */
  readonly id: string;
  readonly key: QuotaKey;
  readonly dimensions: ClaimRequest["dimensions"];
  readonly dimensionKey: string;
  readonly amount: Amount;
}

/** A claim, and the plane it is made in. */
export interface PlacedClaim {
  readonly plane: string;
  readonly claim: RenderedClaim;
}

/** Several policies may ask for the same: what fits for each of them need not fit for all. */
export function needsOf(claims: readonly PlacedClaim[]): readonly Need[] {
  const needs = new Map<string, Need>();
  for (const { plane, claim } of claims) {
    for (const { resourceType, dimensions, amount } of claim.requests) {
      const key = dimensionKey(dimensions);
      const id = [plane, consumerKey(claim.consumer), resourceType, key].join("\n");
      const sum = plus(needs.get(id)?.amount ?? noAmount, amount);
      const whose = { plane, consumer: claim.consumer, resourceType };
      needs.set(id, { id, key: whose, dimensions, dimensionKey: key, amount: sum });
    }
  }
  return [...needs.values()];
}
