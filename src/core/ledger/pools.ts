import { formatSelector, type LabelRequirements } from "../../protocol/label-selector.ts";
import { type Amount, noAmount } from "../resources/amount.ts";
import type { ResourceGrant } from "../resources/resource-grant.ts";
import { plus } from "./arithmetic.ts";

/** Capacity shared by every request whose dimensions the requirements match. */
export interface Pool {
  readonly requirements: LabelRequirements;
  readonly amount: Amount;
}

/**
 * The pools that grants make of one resource type. Buckets that serve the same requests are one pool, whichever grant
 * they come from: what a request may draw from is all that a decision depends on.
 */
export function poolsOf(grants: Iterable<ResourceGrant>, resourceType: string): readonly Pool[] {
  const pools = new Map<string, Pool>();
  for (const { amount, requirements } of bucketsOf(grants, resourceType)) {
    const selector = formatSelector(requirements);
    const before = pools.get(selector)?.amount ?? noAmount;
    pools.set(selector, { requirements, amount: plus(before, amount) });
  }
  return [...pools.values()];
}

function* bucketsOf(grants: Iterable<ResourceGrant>, resourceType: string): Generator<Pool> {
  for (const grant of grants) {
    for (const allowance of grant.allowances) {
      if (allowance.resourceType === resourceType) yield* allowance.buckets;
    }
  }
}
