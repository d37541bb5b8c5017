import type { ListOptions } from "@milo-quota/kubernetes/client/resources/request-options.ts";
import { ConsumerLedger } from "../../core/ledger/consumer-ledger.ts";
import { readBucket } from "../../core/ledger/ledger-bucket.ts";
import { capacityOf } from "../../core/ledger/pools.ts";
import { knowledgeOf } from "../../core/ledger/read-claim.ts";
import { adoptBucket } from "../../core/ledger/rewrite.ts";
import type { AllowanceBucket } from "../../core/resources/allowance-bucket.ts";
import { type ConsumerRef, consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import { grantActivity } from "../../core/resources/rules/grant-activity.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { QuotaObjects } from "../cluster/quota-objects.ts";
import { allocatedParts } from "./allocated-parts.ts";

/** The objects of a control plane that usage is computed from. */
export interface LedgerObjects {
  readonly ledgerBuckets: readonly AllowanceBucket[];
  readonly grants: readonly ResourceGrant[];
  readonly claims: readonly ResourceClaim[];
}

/** Reads buckets before grants and claims, so that everything a bucket counts is among the objects read after it. */
export async function readLedgerObjects(objects: QuotaObjects, options: ListOptions = {}): Promise<LedgerObjects> {
  const buckets = await objects.buckets(options);
  const [grants, claims] = await Promise.all([objects.grants(options), objects.claims(options)]);
  return { ledgerBuckets: buckets.filter(({ dimensions }) => Object.keys(dimensions).length === 0), grants, claims };
}

/** The ledger of a consumer, recomputed from scratch with the code that also decides claims. */
export interface RecountedConsumer {
  readonly consumer: ConsumerRef;
  readonly ledger: ConsumerLedger;
  /** By resource type. */
  readonly buckets: ReadonlyMap<string, AllowanceBucket>;
  /** Every type with a grant, an allocation or a bucket. */
  readonly types: readonly string[];
}

export function recountConsumers(
  objects: LedgerObjects,
  view: RegistrationView,
  nowMs: number,
): readonly RecountedConsumer[] {
  const all = [...objects.ledgerBuckets, ...objects.grants, ...objects.claims].map(({ consumer }) => consumer);
  const consumers = new Map(all.map((consumer) => [consumerKey(consumer), consumer]));
  const [buckets, grants, claims] = [
    byConsumer(objects.ledgerBuckets),
    byConsumer(objects.grants),
    byConsumer(objects.claims),
  ];
  return [...consumers].map(([key, consumer]) => {
    const own = { ledgerBuckets: buckets.get(key) ?? [], grants: grants.get(key) ?? [], claims: claims.get(key) ?? [] };
    return recountConsumer(consumer, own, view, nowMs);
  });
}

function recountConsumer(
  consumer: ConsumerRef,
  { ledgerBuckets, grants, claims }: LedgerObjects,
  view: RegistrationView,
  nowMs: number,
): RecountedConsumer {
  const active = grants.filter((grant) => grantActivity(grant, view, nowMs).state === "active");
  const types = new Set([
    ...ledgerBuckets.map(({ resourceType }) => resourceType),
    ...active.flatMap(({ allowances }) => allowances.map(({ resourceType }) => resourceType)),
    ...claims.flatMap((claim) => allocatedParts(claim).map(({ resourceType }) => resourceType)),
  ]);
  const ledger = new ConsumerLedger();
  for (const type of types) ledger.setCapacity(type, capacityOf(active, type));
  for (const claim of claims) ledger.learn(claim.metadata.uid ?? "", knowledgeOf(claim));
  for (const bucket of ledgerBuckets) adoptBucket(ledger, readBucket(bucket), "complete");
  return {
    consumer,
    ledger,
    buckets: new Map(ledgerBuckets.map((bucket) => [bucket.resourceType, bucket])),
    types: [...types],
  };
}

function byConsumer<Item extends { readonly consumer: ConsumerRef }>(items: readonly Item[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = consumerKey(item.consumer);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
