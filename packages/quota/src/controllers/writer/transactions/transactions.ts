import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { grantedAnswer } from "../../../core/ledger/answer.ts";
import { resourceTypesOf } from "../../../core/ledger/ledger-bucket.ts";
import { fits } from "../../../core/ledger/settle.ts";
import { answerContext, statusFrame } from "../claims/answer-context.ts";
import { decidedStatus } from "../claims/claim-status.ts";
import { isValid } from "../claims/validity.ts";
import { type ConsumerKey, consumerId } from "../consumer-state.ts";
import { BucketBatch, type RenderedBuckets } from "./bucket-batch.ts";
import type { NewClaim, QuotaChange, QuotaTicket, ReleasedClaim } from "./ticket.ts";
import type { IsCurrent, TransactionsOptions } from "./transactions-options.ts";

/**
 * Quota that is decided in one transaction with the objects it is for. Only where the store is in this process, and nobody
 * else writes pages: claims are stored as granted together with the pages that count them, and removed in the same way.
 */
export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #statuses = new Map<string, JsonObject>();
  #statusesAt = "";

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  /**
   * A ticket for claims that would all fit as things are, and for others that are to hold less; undefined when that cannot be
   * decided like this. Nothing is taken by it: what counts is decided when the batch of the transaction is rendered.
   */
  try(granted: readonly NewClaim[], released: readonly ReleasedClaim[]): QuotaTicket | undefined {
    const changes = new Changes();
    for (const request of granted) {
      const key = { plane: request.plane, consumer: request.claim.consumer };
      const open = openClaimOf(request);
      if (!this.#isReady(key, open)) return undefined;
      changes.of(key).granted.push(open);
    }
    for (const claim of released) {
      const key = { plane: claim.place.plane, consumer: claim.consumer };
      if (this.#options.stateOf(consumerId(key))?.isCounted !== true) return undefined;
      changes.of(key).released.push(claim);
    }
    return { changes: changes.all, statuses: granted.map((request) => this.#statusOf(request)) };
  }

  /** The next version of each page that the tickets of a batch touch. Called synchronously, when the batch is taken. */
  render(tickets: readonly QuotaTicket[], isCurrent: IsCurrent): RenderedBuckets {
    const batch = new BucketBatch(this.#options, isCurrent);
    for (const ticket of tickets) batch.take(ticket);
    return batch.rendered();
  }

  /** Whether a claim can be granted at once, as things are. Earlier claims that still wait have to be decided before it. */
  #isReady(key: ConsumerKey, open: QuotaChange["granted"][number]): boolean {
    const { deps, stateOf } = this.#options;
    const state = stateOf(consumerId(key));
    if (state?.isCounted !== true || state.hasPending) return false;
    if (!resourceTypesOf(open).every((type) => state.pages.has(type))) return false;
    const { namespace, name, uid } = open.claim;
    if (deps.forced.verdict({ plane: key.plane, namespace, name }, uid) !== "ordinary") return false;
    if (!isValid(open.request.claim, deps.registrations)) return false;
    state.countGrants(deps.registrations, deps.runtime.clock.now());
    return fits(state.ledger, open);
  }

  /** Claims that ask for the same within a second have the very same status: it is made and checked once. */
  #statusOf({ plane, claim }: NewClaim): JsonObject {
    const { deps, stateOf } = this.#options;
    const id = consumerId({ plane, consumer: claim.consumer });
    const frame = statusFrame(claim.requests, deps);
    const key = `${id}\n${frame.amounts}\n${claim.requests.map(requestText).join("\n")}`;
    if (frame.now !== this.#statusesAt) this.#statuses.clear();
    this.#statusesAt = frame.now;
    const known = this.#statuses.get(key);
    if (known !== undefined) return known;
    const pages = stateOf(id)?.pages;
    const bucketOf = (resourceType: string): string => pages?.get(resourceType)?.name ?? "";
    const answer = grantedAnswer(claim.requests, { ...answerContext(claim.consumer, deps.registrations), bucketOf });
    const status = decidedStatus(newClaim, answer, frame) as JsonObject;
    this.#statuses.set(key, status);
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
  return { claim: { namespace, name, uid }, parts, standing: "waiting", request };
}

/** Changes by consumer. */
class Changes {
  readonly #byConsumer = new Map<string, Mutable<QuotaChange>>();

  get all(): readonly QuotaChange[] {
    return [...this.#byConsumer.values()];
  }

  of(key: ConsumerKey): Mutable<QuotaChange> {
    const id = consumerId(key);
    const change = this.#byConsumer.get(id) ?? { key, id, granted: [], released: [] };
    this.#byConsumer.set(id, change);
    return change;
  }
}

interface Mutable<Change extends QuotaChange> extends QuotaChange {
  readonly granted: Change["granted"][number][];
  readonly released: Change["released"][number][];
}
