import type { KubeClient } from "@milo-quota/kubernetes/client/resources/kube-client.ts";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { type Amount, amountOf, amountToJson, noAmount } from "../../core/resources/fields/amount.ts";
import { consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import { dimensionKey } from "../../core/resources/fields/dimensions.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import { labels } from "../../core/resources/well-known.ts";
import { planeText } from "../cluster/cluster.ts";
import type { QuotaObjects } from "../cluster/quota-objects.ts";
import { isSeenWhole } from "../cluster/tenant-addresses.ts";
import { shortConsumer } from "../consumer-filter.ts";
import { heldParts } from "../recount/held-parts.ts";
import { aboutText, namesOf } from "../registered-names.ts";
import { counted, textTable } from "../text-table.ts";
import type { Units } from "../units.ts";

/** What a bucket is made of. */
export interface BucketMakeUp {
  readonly plane: KubeClient;
  readonly bucket: AllowanceBucket;
  readonly grants: readonly {
    readonly grant: ResourceGrant | undefined;
    readonly name: string;
    readonly amount: Amount;
  }[];
  /** Those that hold most come first. */
  readonly claims: readonly { readonly claim: ResourceClaim; readonly amount: Amount }[];
}

export async function makeUpOf(bucket: AllowanceBucket, objects: QuotaObjects): Promise<BucketMakeUp> {
  const own = { fieldSelector: `spec.consumerRef.name=${bucket.consumer.name}` };
  const [grants, claims] = await Promise.all([objects.grants(own), objects.claims(own)]);
  const shares = bucket.status?.contributingGrantRefs ?? [];
  return {
    plane: objects.client,
    bucket,
    grants: shares.map(({ namespace, name, amount }) => ({
      grant: grants.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace),
      name: `${namespace ?? ""}/${name}`,
      amount: amountOf(amount),
    })),
    claims: claims
      .map((claim) => ({ claim, amount: heldFrom(bucket, claim) }))
      .filter(({ amount }) => amount > noAmount)
      .sort((left, right) => (left.amount === right.amount ? 0 : left.amount < right.amount ? 1 : -1)),
  };
}

function heldFrom({ consumer, resourceType, dimensions }: AllowanceBucket, claim: ResourceClaim): Amount {
  if (consumerKey(claim.consumer) !== consumerKey(consumer)) return noAmount;
  const key = dimensionKey(dimensions);
  const parts = heldParts(claim).filter((part) => part.resourceType === resourceType);
  return parts
    .filter((part) => key === "" || part.dimensionKey === key)
    .reduce((sum, { amount }) => (sum + amount) as Amount, noAmount);
}

const claimsShown = 10;

export function makeUpText({ plane, bucket, grants, claims }: BucketMakeUp, units: Units): string {
  const { resourceType, status, metadata } = bucket;
  const key = dimensionKey(bucket.dimensions);
  const unseen = unseenLines(plane, bucket, claims.length);
  const text = (amount: number | bigint | undefined): string => units.number(amountOf(amount ?? 0), resourceType);
  const figures =
    status === undefined
      ? "not counted yet"
      : units.isFeature(resourceType)
        ? units.limitText(amountOf(status.limit), resourceType)
        : `limit ${units.text(amountOf(status.limit), resourceType)}, allocated ${text(status.allocated)}, reserved ${text(status.reserved)}, ` +
          `available ${text(status.available)}${BigInt(status.overage ?? 0) > 0n ? `, over the limit by ${text(status.overage)}` : ""}`;
  const about = aboutText(units, resourceType);
  return [
    `${resourceType}${key === "" ? "" : ` (${key})`} of ${shortConsumer(bucket.consumer)}: ${figures}`,
    ...(about === undefined ? [] : [about]),
    `AllowanceBucket ${metadata.namespace}/${metadata.name} (${planeText(plane)})`,
    "",
    ...grantLines(bucket, grants, units),
    "",
    ...(claims.length === 0 && (unseen.length > 0 || units.isFeature(resourceType))
      ? []
      : claimLines(claims, resourceType, units)),
    ...unseen,
  ].join("\n");
}

/** Whoever sees a part is told that there is more. */
function unseenLines({ plane }: KubeClient, { status }: AllowanceBucket, seen: number): readonly string[] {
  const more = Number(status?.claimCount ?? 0) - seen;
  if (isSeenWhole(plane) || more <= 0) return [];
  return [`Not seen from here: ${counted(more, "claim")} in other namespaces.`];
}

function grantLines({ resourceType, status }: AllowanceBucket, grants: BucketMakeUp["grants"], units: Units): string[] {
  if (grants.length === 0) return ["No Active grant gives anything to it."];
  const rows = grants.map(({ grant, name, amount }) => [
    name,
    units.text(amount, resourceType),
    grant === undefined ? "not seen from here" : makerOf(grant),
    grant?.expiresAt === undefined ? "" : `until ${grant.expiresAt}`,
  ]);
  const columns = [
    { title: "GRANT" },
    { title: "AMOUNT", align: "right" } as const,
    { title: "MADE" },
    { title: "ENDS" },
  ];
  const more = Number(status?.grantCount ?? 0) - grants.length;
  return [textTable(columns, rows), ...(more > 0 ? [`and ${counted(more, "more grant")}`] : [])];
}

function makerOf({ metadata }: ResourceGrant): string {
  const policy = metadata.labels?.[labels.policy];
  return policy === undefined ? "by hand" : `policy ${policy}`;
}

function claimLines(claims: BucketMakeUp["claims"], resourceType: string, units: Units): string[] {
  if (claims.length === 0) return ["No claim holds anything of it."];
  const rows = claims
    .slice(0, claimsShown)
    .map(({ claim, amount }) => [
      `${claim.metadata.namespace}/${claim.metadata.name}`,
      claim.resource === undefined ? "by hand" : shortConsumer(claim.resource),
      units.text(amount, resourceType),
      claim.metadata.creationTimestamp ?? "",
    ]);
  const columns = [
    { title: "CLAIM" },
    { title: "FOR" },
    { title: "AMOUNT", align: "right" } as const,
    { title: "SINCE" },
  ];
  const more = claims.length - claimsShown;
  return [textTable(columns, rows), ...(more > 0 ? [`and ${counted(more, "more claim")} that hold less`] : [])];
}

export function makeUpValue({ plane, bucket, grants, claims }: BucketMakeUp, units: Units): object {
  const { metadata, consumer, resourceType, dimensions, status } = bucket;
  return {
    plane: planeText(plane),
    bucket: { namespace: metadata.namespace, name: metadata.name },
    consumer,
    resourceType,
    ...namesOf(units, resourceType),
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
