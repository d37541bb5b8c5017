import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { type Amount, amountOf, amountToJson, noAmount } from "../../core/resources/fields/amount.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import { labels } from "../../core/resources/well-known.ts";
import { planeName } from "../cluster/cluster.ts";
import type { QuotaObjects } from "../cluster/quota-objects.ts";
import { isFullView } from "../cluster/tenant-addresses.ts";
import { kindAndName } from "../consumer-filter.ts";
import { allocatedParts } from "../recount/allocated-parts.ts";
import { describeType, typeInfo } from "../resource-type-info.ts";
import { counted, textTable } from "../text-table.ts";
import type { Units } from "../units.ts";

/** The grants and claims behind a bucket. */
export interface BucketBreakdown {
  readonly plane: KubeClient;
  readonly bucket: AllowanceBucket;
  readonly grants: readonly {
    readonly grant: ResourceGrant | undefined;
    readonly name: string;
    readonly amount: Amount;
  }[];
  /** Largest amount first. */
  readonly claims: readonly { readonly claim: ResourceClaim; readonly amount: Amount }[];
}

export async function breakDownBucket(bucket: AllowanceBucket, objects: QuotaObjects): Promise<BucketBreakdown> {
  const own = { fieldSelector: `spec.consumerRef.name=${bucket.consumer.name}` };
  const [grants, claims] = await Promise.all([objects.grants(own), objects.claims(own)]);
  const grantRefs = bucket.status?.contributingGrantRefs ?? [];
  return {
    plane: objects.client,
    bucket,
    grants: grantRefs.map(({ namespace, name, amount }) => ({
      grant: grants.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
      name: `${namespace ?? ""}/${name}`,
      amount: amountOf(amount),
    })),
    claims: claims
      .map((claim) => ({ claim, amount: allocatedFrom(bucket, claim) }))
      .filter(({ amount }) => amount > noAmount)
      .sort((left, right) => (left.amount === right.amount ? 0 : left.amount < right.amount ? 1 : -1)),
  };
}

function allocatedFrom({ consumer, resourceType, dimensions }: AllowanceBucket, claim: ResourceClaim): Amount {
  if (consumerKey(claim.consumer) !== consumerKey(consumer)) return noAmount;
  const key = dimensionKey(dimensions);
  const parts = allocatedParts(claim).filter((part) => part.resourceType === resourceType);
  return parts
    .filter((part) => key === "" || part.dimensionKey === key)
    .reduce((sum, { amount }) => (sum + amount) as Amount, noAmount);
}

const claimsShown = 10;

export function breakdownText({ plane, bucket, grants, claims }: BucketBreakdown, units: Units): string {
  const { resourceType, status, metadata } = bucket;
  const key = dimensionKey(bucket.dimensions);
  const hidden = hiddenClaimLines(plane, bucket, claims.length);
  const text = (amount: number | bigint | undefined): string => units.number(amountOf(amount ?? 0), resourceType);
  const figures =
    status === undefined
      ? "not computed yet"
      : units.isFeature(resourceType)
        ? units.limitText(amountOf(status.limit), resourceType)
        : `limit ${units.text(amountOf(status.limit), resourceType)}, allocated ${text(status.allocated)}, reserved ${text(status.reserved)}, ` +
          `available ${text(status.available)}${BigInt(status.overage ?? 0) > 0n ? `, over the limit by ${text(status.overage)}` : ""}`;
  const description = describeType(units, resourceType);
  return [
    `${resourceType}${key === "" ? "" : ` (${key})`} of ${kindAndName(bucket.consumer)}: ${figures}`,
    ...(description === undefined ? [] : [description]),
    `AllowanceBucket ${metadata.namespace}/${metadata.name} (${planeName(plane)})`,
    "",
    ...grantLines(bucket, grants, units),
    "",
    ...(claims.length === 0 && (hidden.length > 0 || units.isFeature(resourceType))
      ? []
      : claimLines(claims, resourceType, units)),
    ...hidden,
  ].join("\n");
}

/** An organization's view hides claims in other namespaces, which the bucket counts nevertheless. */
function hiddenClaimLines({ plane }: KubeClient, { status }: AllowanceBucket, visible: number): readonly string[] {
  const hidden = Number(status?.claimCount ?? 0) - visible;
  if (isFullView(plane) || hidden <= 0) return [];
  return [`${counted(hidden, "claim")} in other namespaces ${hidden === 1 ? "is" : "are"} not visible to you.`];
}

function grantLines(
  { resourceType, status }: AllowanceBucket,
  grants: BucketBreakdown["grants"],
  units: Units,
): string[] {
  if (grants.length === 0) return ["No active grant contributes to this bucket."];
  const rows = grants.map(({ grant, name, amount }) => [
    name,
    units.text(amount, resourceType),
    grant === undefined ? "not visible to you" : sourceOf(grant),
    grant?.expiresAt ?? "",
  ]);
  const columns = [
    { title: "GRANT" },
    { title: "AMOUNT", align: "right" } as const,
    { title: "SOURCE" },
    { title: "EXPIRES" },
  ];
  const more = Number(status?.grantCount ?? 0) - grants.length;
  return [textTable(columns, rows), ...(more > 0 ? [`and ${counted(more, "more grant")}`] : [])];
}

function sourceOf({ metadata }: ResourceGrant): string {
  const policy = metadata.labels?.[labels.policy];
  return policy === undefined ? "manual" : `policy ${policy}`;
}

function claimLines(claims: BucketBreakdown["claims"], resourceType: string, units: Units): string[] {
  if (claims.length === 0) return ["No claim uses this bucket."];
  const rows = claims
    .slice(0, claimsShown)
    .map(({ claim, amount }) => [
      `${claim.metadata.namespace}/${claim.metadata.name}`,
      claim.resource === undefined ? "none" : kindAndName(claim.resource),
      units.text(amount, resourceType),
      claim.metadata.creationTimestamp ?? "",
    ]);
  const columns = [
    { title: "CLAIM" },
    { title: "OBJECT" },
    { title: "AMOUNT", align: "right" } as const,
    { title: "SINCE" },
  ];
  const more = claims.length - claimsShown;
  return [textTable(columns, rows), ...(more > 0 ? [`and ${counted(more, "more claim")} with smaller amounts`] : [])];
}

export function breakdownValue({ plane, bucket, grants, claims }: BucketBreakdown, units: Units): object {
  const { metadata, consumer, resourceType, dimensions, status } = bucket;
  return {
    plane: planeName(plane),
    bucket: { namespace: metadata.namespace, name: metadata.name },
    consumer,
    resourceType,
    ...typeInfo(units, resourceType),
    dimensions,
    limit: status?.limit,
    allocated: status?.allocated,
    reserved: status?.reserved,
    available: status?.available,
    overage: status?.overage,
    grants: grants.map(({ name, amount, grant }) => ({
      name,
      amount: amountToJson(amount),
      policy: grant?.metadata.labels?.[labels.policy],
      expiresAt: grant?.expiresAt,
    })),
    claims: claims.map(({ claim, amount }) => ({
      name: `${claim.metadata.namespace}/${claim.metadata.name}`,
      amount: amountToJson(amount),
      resource: claim.resource,
      since: claim.metadata.creationTimestamp ?? undefined,
    })),
  };
}
