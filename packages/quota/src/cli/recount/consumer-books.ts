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
import { heldParts } from "./held-parts.ts";

/** Everything in a control plane that quota is counted from. */
export interface CountedObjects {
  readonly pages: readonly AllowanceBucket[];
  readonly grants: readonly ResourceGrant[];
  readonly claims: readonly ResourceClaim[];
}

/** Pages before grants and claims: what a page counts is then in what is read after it. */
export async function readCounted(objects: QuotaObjects, options: ListOptions = {}): Promise<CountedObjects> {
  const buckets = await objects.buckets(options);
  const [grants, claims] = await Promise.all([objects.grants(options), objects.claims(options)]);
  return { pages: buckets.filter(({ dimensions }) => Object.keys(dimensions).length === 0), grants, claims };
}

/** What one consumer has and holds, counted from scratch by the rules that decisions go by. */
export interface ConsumerBooks {
  readonly consumer: ConsumerRef;
  readonly ledger: ConsumerLedger;
  /** By resource type. */
  readonly pages: ReadonlyMap<string, AllowanceBucket>;
  /** Every type that somebody granted, holds, or has a page of. */
  readonly types: readonly string[];
}

export function booksOf(objects: CountedObjects, view: RegistrationView, nowMs: number): readonly ConsumerBooks[] {
  const all = [...objects.pages, ...objects.grants, ...objects.claims].map(({ consumer }) => consumer);
  const consumers = new Map(all.map((consumer) => [consumerKey(consumer), consumer]));
  const [pages, grants, claims] = [byConsumer(objects.pages), byConsumer(objects.grants), byConsumer(objects.claims)];
  return [...consumers].map(([key, consumer]) => {
    const own = { pages: pages.get(key) ?? [], grants: grants.get(key) ?? [], claims: claims.get(key) ?? [] };
    return bookOf(consumer, own, view, nowMs);
  });
}

function bookOf(
  consumer: ConsumerRef,
  { pages, grants, claims }: CountedObjects,
  view: RegistrationView,
  nowMs: number,
): ConsumerBooks {
  const active = grants.filter((grant) => grantActivity(grant, view, nowMs).state === "active");
  const types = new Set([
    ...pages.map(({ resourceType }) => resourceType),
    ...active.flatMap(({ allowances }) => allowances.map(({ resourceType }) => resourceType)),
    ...claims.flatMap((claim) => heldParts(claim).map(({ resourceType }) => resourceType)),
  ]);
  const ledger = new ConsumerLedger();
  for (const type of types) ledger.setCapacity(type, capacityOf(active, type));
  for (const claim of claims) ledger.learn(claim.metadata.uid ?? "", knowledgeOf(claim));
  for (const page of pages) adoptBucket(ledger, readBucket(page), "complete");
  return { consumer, ledger, pages: new Map(pages.map((page) => [page.resourceType, page])), types: [...types] };
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
