import { formatSelector, type LabelRequirements } from "@milo-quota/kubernetes/protocol/selectors/label-selector.ts";
import { contributingGrantsMax } from "../resources/allowance-bucket.ts";
import { type Amount, amountMax, noAmount } from "../resources/fields/amount.ts";
import type { ResourceGrant } from "../resources/resource-grant.ts";
import { least, plus, total } from "./arithmetic.ts";

/** Capacity shared by every request whose dimensions the requirements match. */
export interface Pool {
  readonly requirements: LabelRequirements;
  readonly amount: Amount;
}

/** The amount that one grant contributes, shown in the bucket status. */
export interface GrantShare {
  readonly name: string;
  readonly namespace: string;
  readonly amount: Amount;
  readonly generation: number | bigint;
}

/** The capacity of one resource type: pools for decisions, the rest for the bucket status. */
export interface Capacity {
  readonly pools: readonly Pool[];
  readonly grantCount: number;
  /** The first by name: up to fifty, fewer when their names are long. */
  readonly shares: readonly GrantShare[];
}

export const noCapacity: Capacity = { pools: [], grantCount: 0, shares: [] };

const shareBytesMax = 12 * 1024;
/** Field names, amount and generation of a share, in JSON. */
const shareFrame = 96;

export function capacityOf(grants: readonly ResourceGrant[], resourceType: string): Capacity {
  const own = grants.filter(({ allowances }) =>
    allowances.some((allowance) => allowance.resourceType === resourceType),
  );
  return { pools: poolsOf(own, resourceType), grantCount: own.length, shares: sharesOf(own, resourceType) };
}

/** Buckets of grants with the same selector form one pool: decisions depend only on what a request may draw from. */
function poolsOf(grants: Iterable<ResourceGrant>, resourceType: string): readonly Pool[] {
  const pools = new Map<string, Pool>();
  for (const { amount, requirements } of bucketsOf(grants, resourceType)) {
    const selector = formatSelector(requirements);
    const before = pools.get(selector)?.amount ?? noAmount;
    pools.set(selector, { requirements, amount: plus(before, amount) });
  }
  return [...pools.values()];
}

function sharesOf(grants: readonly ResourceGrant[], resourceType: string): readonly GrantShare[] {
  const shares = grants
    .map((grant) => shareOf(grant, resourceType))
    .sort((left, right) => (fullName(left) < fullName(right) ? -1 : 1));
  let bytes = 0;
  return shares.slice(0, contributingGrantsMax).filter((share) => {
    bytes += shareFrame + fullName(share).length;
    return bytes <= shareBytesMax;
  });
}

function shareOf(grant: ResourceGrant, resourceType: string): GrantShare {
  const { name = "", namespace = "", generation = 0 } = grant.metadata;
  const amount = total([...bucketsOf([grant], resourceType)].map((bucket) => bucket.amount));
  return { name, namespace, amount: least(amount, amountMax), generation };
}

function* bucketsOf(grants: Iterable<ResourceGrant>, resourceType: string): Generator<Pool> {
  for (const grant of grants) {
    for (const allowance of grant.allowances) {
      if (allowance.resourceType === resourceType) yield* allowance.buckets;
    }
  }
}

function fullName({ namespace, name }: GrantShare): string {
  return `${namespace}/${name}`;
}
