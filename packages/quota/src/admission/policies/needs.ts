import { plus } from "../../core/ledger/arithmetic.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import { type Amount, noAmount } from "../../core/resources/fields/amount.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import type { ClaimRequest } from "../../core/resources/resource-claim.ts";
import type { QuotaKey } from "../answers/usage-view.ts";

/** What all claims of a change take together from one bucket. */
export interface Need {
  /** Identifies the bucket. */
  readonly id: string;
  readonly key: QuotaKey;
  readonly dimensions: ClaimRequest["dimensions"];
  readonly dimensionKey: string;
  readonly amount: Amount;
}

/** A claim, and the control plane to create it in. */
export interface ClaimInPlane {
  readonly plane: string;
  readonly claim: RenderedClaim;
}

/** Sums up claims by bucket: claims of several policies may each fit into a bucket, but not all of them together. */
export function needsOf(claims: readonly ClaimInPlane[]): readonly Need[] {
  const needs = new Map<string, Need>();
  for (const { plane, claim } of claims) {
    for (const { resourceType, dimensions, amount } of claim.requests) {
      const key = dimensionKey(dimensions);
      const id = [plane, consumerKey(claim.consumer), resourceType, key].join("\n");
      const sum = plus(needs.get(id)?.amount ?? noAmount, amount);
      const quotaKey = { plane, consumer: claim.consumer, resourceType };
      needs.set(id, { id, key: quotaKey, dimensions, dimensionKey: key, amount: sum });
    }
  }
  return [...needs.values()];
}
