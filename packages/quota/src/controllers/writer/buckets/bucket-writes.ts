import type { BucketContent } from "../../../core/ledger/ledger-bucket.ts";
import { resourceTypesOf } from "../../../core/ledger/ledger-bucket.ts";
import { type Changes, contentOf, isCurrent, noChanges } from "../../../core/ledger/rewrite.ts";
import type { Decision } from "../../../core/ledger/settle.ts";
import { awaitAll } from "../../await-all.ts";
import type { ConsumerState } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import type { StoredBucket } from "./stored-bucket.ts";

/** How long a change that is not urgent is deferred, to be coalesced with the next bucket write. */
export const deferMsMax = 1_000;

/** Writes the buckets of a consumer. */
export class BucketWrites {
  readonly #state: ConsumerState;
  readonly #deps: WriterDeps;
  readonly #signal: AbortSignal;

  constructor(state: ConsumerState, deps: WriterDeps, signal: AbortSignal) {
    this.#state = state;
    this.#deps = deps;
    this.#signal = signal;
  }

  /**
   * Writes every bucket whose content has changed, unless the change can be deferred. Returns the types whose buckets were
   * written; after a conflict the bucket is not among them, and the state has to be recounted.
   */
  async swapAll(changes: Changes): Promise<ReadonlySet<string>> {
    const nowMs = this.#deps.runtime.elapsedMs();
    const due = [...this.#state.buckets].flatMap(([type, bucket]) => {
      const content = contentOf(this.#state.ledger, bucket, changes);
      return isWritten(bucket, content) ? [] : [{ type, bucket, content }];
    });
    this.#state.noteDeferred(due.length > 0, nowMs);
    const { deferredSinceMs } = this.#state;
    const isDeferralOver = deferredSinceMs !== undefined && nowMs - deferredSinceMs >= deferMsMax;
    const urgent = due.filter(
      ({ type, bucket, content }) => isDeferralOver || isUrgent(type, bucket, { content, changes }),
    );
    if (urgent.length === due.length) this.#state.noteDeferred(false, nowMs);
    const written = new Set<string>();
    await awaitAll(
      urgent.map(async ({ type, bucket, content }) => {
        if (await this.#swap(type, bucket, content)) written.add(type);
      }),
    );
    return written;
  }

  /** Writes a bucket even if its content is current: a swap that another writer prepared before will then conflict. */
  async fence(type: string): Promise<void> {
    const bucket = this.#state.buckets.get(type);
    if (bucket === undefined) this.#state.invalidate();
    else await this.#swap(type, bucket, contentOf(this.#state.ledger, bucket, noChanges));
  }

  async #swap(type: string, before: StoredBucket, content: BucketContent): Promise<boolean> {
    const { leadership, buckets, figures, observer } = this.#deps;
    leadership.fence();
    const bucket = await buckets.swap(this.#state.key, before, content, this.#signal);
    observer.onBucketWrite?.(bucket === undefined ? "overtaken" : "written");
    if (bucket === undefined) {
      this.#state.invalidate();
      return false;
    }
    this.#state.bucketWritten(type, bucket);
    figures.onFiguresChanged({ ...this.#state.key, resourceType: type }, () => this.#state.shownLedger(type));
    return true;
  }
}

/** A bucket without a writer has no status yet, and is written even if everything in it is 0. */
function isWritten(bucket: StoredBucket, content: BucketContent): boolean {
  return bucket.writer !== "" && isCurrent(bucket, content);
}

/** Whether a client waits for this write: for a reservation, or to see a new limit. */
function isUrgent(
  type: string,
  bucket: StoredBucket,
  { content, changes: { decisions, dropped } }: { readonly content: BucketContent; readonly changes: Changes },
): boolean {
  const { figures, grantCount } = bucket.content;
  return (
    bucket.writer === "" ||
    figures.limit !== content.figures.limit ||
    grantCount !== content.grantCount ||
    bucket.content.reservations.some(({ attempt }) => dropped.has(attempt)) ||
    decisions.some((decision) => reserves(type, decision))
  );
}

function reserves(type: string, decision: Decision): boolean {
  return decision.outcome === "reserve" && resourceTypesOf(decision.claim).includes(type);
}
