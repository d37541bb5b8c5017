import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { grantedStatus } from "../../../core/ledger/decision-status.ts";
import { resourceTypesOf } from "../../../core/ledger/ledger-bucket.ts";
import { fits } from "../../../core/ledger/settle.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { decidedStatus, shrunkStatus } from "../claims/claim-status.ts";
import { isValid } from "../claims/claim-validation.ts";
import { displayContext, shrinkContext, statusDetails } from "../claims/display-context.ts";
import { type ConsumerKey, consumerId } from "../consumer-state.ts";
import { BucketBatch, type RenderedBuckets } from "./bucket-batch.ts";
import type { NewClaim, QuotaChange, QuotaTicket, ReleasedClaim } from "./ticket.ts";
import type { IsCurrent, TransactionsOptions } from "./transactions-options.ts";

/**
 * Decides claims in one transaction with their objects. Works only in embedded mode, where the store is in this process and
 * has no other bucket writer: a claim is stored as granted together with the buckets that count it, and removed likewise.
 */
export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #statusCache = new Map<string, JsonObject>();
  #statusCacheTime = "";

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  /**
   * A ticket for new claims, if all of them fit at present, and for claims that are to hold less; undefined if they have to
   * be decided by a reconcile. The ticket reserves nothing: `render` decides when the store commits a batch.
   */
  prepare(granted: readonly NewClaim[], released: readonly ReleasedClaim[]): QuotaTicket | undefined {
    const changes = new Changes();
    for (const request of granted) {
      const key = { plane: request.plane, consumer: request.claim.consumer };
      const open = openClaimOf(request);
      if (!this.#isReady(key, open)) return undefined;
      changes.of(key).granted.push(open);
    }
    for (const claim of released) {
      const key = { plane: claim.key.plane, consumer: claim.consumer };
      if (this.#options.stateOf(consumerId(key))?.isCounted !== true) return undefined;
      changes.of(key).released.push(claim);
    }
    return { changes: changes.all, statuses: granted.map((request) => this.#statusOf(request)) };
  }

  /** The status of a granted claim that is to hold less; undefined if it already holds no more than that. */
  shrunkStatus(claim: ResourceClaim, left: readonly ClaimPart[]): object | undefined {
    return shrunkStatus(claim, left, shrinkContext(this.#options.deps));
  }

  /** The next status of each bucket that the tickets touch. Called synchronously when the store commits a batch. */
  render(tickets: readonly QuotaTicket[], isCurrent: IsCurrent): RenderedBuckets {
    const batch = new BucketBatch(this.#options, isCurrent);
    for (const ticket of tickets) batch.add(ticket);
    return batch.rendered();
  }

  /** Whether a claim can be granted at once. Earlier open claims have to be decided before it. */
  #isReady(key: ConsumerKey, open: QuotaChange["granted"][number]): boolean {
    const { deps, stateOf } = this.#options;
    const state = stateOf(consumerId(key));
    if (state?.isCounted !== true || state.hasPending) return false;
    if (!resourceTypesOf(open).every((type) => state.buckets.has(type))) return false;
    const { namespace, name, uid } = open.claim;
    if (deps.forced.verdict({ plane: key.plane, namespace, name }, uid) !== "ordinary") return false;
    if (!isValid(open.request.claim, deps.registrations)) return false;
    state.countGrants(deps.registrations, deps.runtime.clock.now());
    return fits(state.ledger, open);
  }

  /** Hot: claims with equal requests within one second share a status object, which the server then validates once. */
  #statusOf({ plane, claim }: NewClaim): JsonObject {
    const { deps, stateOf } = this.#options;
    const consumer = { plane, consumer: claim.consumer };
    const id = consumerId(consumer);
    const details = statusDetails(consumer, claim.requests, deps);
    const key = `${id}\n${details.consumerUid}\n${details.amounts}\n${claim.requests.map(requestText).join("\n")}`;
    if (details.now !== this.#statusCacheTime) this.#statusCache.clear();
    this.#statusCacheTime = details.now;
    const cached = this.#statusCache.get(key);
    if (cached !== undefined) return cached;
    const buckets = stateOf(id)?.buckets;
    const bucketOf = (resourceType: string): string => buckets?.get(resourceType)?.name ?? "";
    const decision = grantedStatus(claim.requests, { ...displayContext(claim.consumer, deps.registrations), bucketOf });
    const status = decidedStatus(newClaim, decision, details) as JsonObject;
    this.#statusCache.set(key, status);
    return status;
  }
}

function requestText({ resourceType, dimensionKey, amount }: NewClaim["claim"]["requests"][number]): string {
  return `${resourceType} ${dimensionKey} ${amount}`;
}

const newClaim = { metadata: { generation: 1 }, status: {} };

function openClaimOf(request: NewClaim): QuotaChange["granted"][number] {
  const { claim, uid } = request;
  const { namespace, name, requests } = claim;
  const parts = requests.map(({ resourceType, dimensionKey, amount }) => ({ resourceType, dimensionKey, amount }));
  return { claim: { namespace, name, uid }, parts, forced: false, request };
}

/** Collects changes by consumer. */
class Changes {
  readonly #byConsumer = new Map<string, Mutable<QuotaChange>>();

  get all(): readonly QuotaChange[] {
    return [...this.#byConsumer.values()];
  }

  of(key: ConsumerKey): Mutable<QuotaChange> {
    const id = consumerId(key);
    const change = this.#byConsumer.get(id) ?? { key, consumerId: id, granted: [], released: [] };
    this.#byConsumer.set(id, change);
    return change;
  }
}

interface Mutable<Change extends QuotaChange> extends QuotaChange {
  readonly granted: Change["granted"][number][];
  readonly released: Change["released"][number][];
}
