import type { Body } from "../../apiserver/test-server.ts";
import type { QuotaScope } from "./recorded-scopes.ts";
import type { PlaneObject } from "./recording.ts";

export const quotaResources = {
  buckets: "allowancebuckets.quota.miloapis.com",
  claims: "resourceclaims.quota.miloapis.com",
} as const;

/** A ledger bucket with a recount of its claims. */
export interface BucketAccount {
  readonly plane: string;
  readonly consumer: string;
  readonly resourceType: string;
  readonly limit: number;
  readonly allocated: number;
  readonly claimCount: number;
  readonly reserved: number;
  readonly ahead: number;
  /** Granted claims and the sum of their allocations. */
  readonly claims: readonly Body[];
  readonly held: number;
}

/** One account for each ledger bucket, by plane and consumer. */
export function accountsOf(objects: readonly PlaneObject[]): readonly BucketAccount[] {
  const buckets = objects.filter(({ resource, object }) => resource === quotaResources.buckets && isLedger(object));
  const granted = objects.filter(({ resource, object }) => resource === quotaResources.claims && isGranted(object));
  return buckets
    .map(({ plane, object }) => accountOf(plane, object, granted))
    .sort((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
}

/** The account of a scope's bucket. */
export function accountOfScope(
  accounts: readonly BucketAccount[],
  { plane, consumer, resourceType }: QuotaScope,
): BucketAccount {
  const found = accounts.find(
    (account) =>
      account.plane === plane &&
      account.consumer === `${consumer.kind} ${consumer.name}` &&
      account.resourceType === resourceType,
  );
  if (found === undefined) throw new Error(`no bucket of ${resourceType} for ${consumer.kind} ${consumer.name}`);
  return found;
}

function accountOf(plane: string, { spec, status }: Body, granted: readonly PlaneObject[]): BucketAccount {
  const { consumerRef, resourceType } = spec;
  const claims = granted
    .filter((claim) => claim.plane === plane && isSame(claim.object.spec.consumerRef, consumerRef))
    .map(({ object }) => object)
    .filter((claim) => heldBy(claim, resourceType) > 0);
  return {
    plane,
    consumer: `${consumerRef.kind} ${consumerRef.name}`,
    resourceType,
    limit: status.limit,
    allocated: status.allocated,
    claimCount: status.claimCount,
    reserved: status.reserved ?? 0,
    ahead: status.ahead ?? 0,
    claims,
    held: claims.reduce((sum, claim) => sum + heldBy(claim, resourceType), 0),
  };
}

/** Allocation of a claim for a resource type. */
function heldBy({ status }: Body, resourceType: string): number {
  const own: readonly Body[] = status.allocations.filter((part: Body) => part.resourceType === resourceType);
  return own.reduce((sum, { allocatedAmount }) => sum + allocatedAmount, 0);
}

export function isGranted({ status }: Body): boolean {
  return (status?.conditions ?? []).some(({ type, status: is }: Body) => type === "Granted" && is === "True");
}

function isLedger({ spec }: Body): boolean {
  return Object.keys(spec.dimensions ?? {}).length === 0;
}

function isSame(left: Body, right: Body): boolean {
  return left.kind === right.kind && left.name === right.name;
}

function orderOf({ plane, consumer, resourceType }: BucketAccount): string {
  return `${plane} ${consumer} ${resourceType}`;
}
