import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { contentOf, noChanges } from "../../../core/ledger/rewrite.ts";
import { grantAtOnce } from "../../../core/ledger/settle.ts";
import type { NextBucket } from "../buckets/bucket-store.ts";
import type { ConsumerState } from "../consumer-state.ts";
import type { QuotaChange, QuotaTicket } from "./ticket.ts";
import type { IsCurrent, TransactionsOptions } from "./transactions-options.ts";

/** Why a ticket is not in a batch: `busy` can be retried; the claims of a `declined` one have to be decided by a reconcile. */
export type LeftOut = { readonly outcome: "busy"; readonly until: Promise<void> } | { readonly outcome: "declined" };

export interface RenderedBuckets {
  readonly buckets: readonly NextBucket[];
  readonly leftOut: ReadonlyMap<QuotaTicket, LeftOut>;
  /** The batch was stored; `versions` are in the order of `buckets`. */
  readonly stored: (versions: readonly string[]) => void;
  /** Nothing of the batch was written. */
  readonly rolledBack: () => void;
  /** The outcome is unknown. The ledger keeps counting the batch until the process restarts. */
  readonly unknown: () => void;
}

interface TouchedBucket {
  readonly state: ConsumerState;
  readonly type: string;
}

/**
 * Settles the tickets of one batch of the store, one after the other. The ledger counts what fits from then on; the batch
 * holds the turn of each consumer, so that no reconcile changes these buckets until the batch has ended.
 */
export class BucketBatch {
  readonly #options: TransactionsOptions;
  readonly #isCurrent: IsCurrent;
  readonly #states = new Set<ConsumerState>();
  readonly #settled: QuotaTicket[] = [];
  readonly #leftOut = new Map<QuotaTicket, LeftOut>();
  readonly #touched = new Map<string, TouchedBucket>();
  #buckets: readonly (TouchedBucket & { readonly next: NextBucket })[] = [];

  constructor(options: TransactionsOptions, isCurrent: IsCurrent) {
    this.#options = options;
    this.#isCurrent = isCurrent;
  }

  add(ticket: QuotaTicket): void {
    const changes = ticket.changes.map((change) => ({ change, state: this.#options.stateOf(change.consumerId) }));
    const busy = changes.find(({ state }) => state?.turns.isReconciling === true)?.state;
    if (busy !== undefined) {
      this.#leftOut.set(ticket, { outcome: "busy", until: busy.turns.over });
      return;
    }
    if (
      !changes.every(({ change, state }) => state !== undefined && this.#isPossible(change, state)) ||
      !this.#settle(changes as readonly StateChange[])
    ) {
      this.#leftOut.set(ticket, { outcome: "declined" });
      return;
    }
    this.#settled.push(ticket);
    for (const { change, state } of changes as readonly StateChange[]) {
      this.#states.add(state);
      for (const type of typesOf(change)) this.#touched.set(bucketKey(state, type), { state, type });
    }
  }

  rendered(): RenderedBuckets {
    for (const state of this.#states) state.turns.beginTransaction();
    try {
      this.#renderBuckets();
    } catch (error) {
      this.#rolledBack();
      throw error;
    }
    return {
      buckets: this.#buckets.map(({ next }) => next),
      leftOut: this.#leftOut,
      stored: (versions) => this.#stored(versions),
      rolledBack: () => this.#rolledBack(),
      unknown: () => this.#end(),
    };
  }

  #renderBuckets(): void {
    const { deps } = this.#options;
    this.#buckets = [...this.#touched.values()].map(({ state, type }) => {
      const before = state.buckets.get(type);
      if (before === undefined) throw new Error(`the bucket of ${type} is gone`);
      const content = contentOf(state.ledger, before, noChanges);
      return { state, type, next: deps.buckets.next(state.key, before, content) };
    });
  }

  /** Whether the stored buckets equal those of the state, and no earlier claim waits. */
  #isPossible(change: QuotaChange, state: ConsumerState): boolean {
    const { deps } = this.#options;
    if (!state.isCounted || (change.granted.length > 0 && state.hasPending)) return false;
    for (const type of typesOf(change)) {
      const bucket = state.buckets.get(type);
      if (bucket === undefined) return false;
      if (this.#touched.has(bucketKey(state, type))) continue;
      const { namespace, name } = bucket;
      if (this.#isCurrent({ plane: state.key.plane, namespace, name }, bucket.version)) continue;
      state.invalidate();
      deps.requeue(state.id);
      return false;
    }
    return true;
  }

  /** Grants all claims of a ticket, or none. */
  #settle(changes: readonly StateChange[]): boolean {
    const { registrations, runtime } = this.#options.deps;
    const granted: { readonly state: ConsumerState; readonly uid: string }[] = [];
    for (const { change, state } of changes) {
      state.countGrants(registrations, runtime.clock.now());
      for (const claim of change.granted) {
        if (!grantAtOnce(state.ledger, claim)) {
          for (const each of granted) each.state.markNeverStored(each.uid);
          return false;
        }
        granted.push({ state, uid: claim.claim.uid });
      }
    }
    for (const { change, state } of changes) {
      for (const { uid, left } of change.released) {
        if (left === undefined) state.markRemoved(uid);
        else state.learn(uid, { state: "granted", parts: left });
      }
    }
    return true;
  }

  #stored(versions: readonly string[]): void {
    const { observer, figures } = this.#options.deps;
    for (const [at, { state, type, next }] of this.#buckets.entries()) {
      state.bucketWritten(type, next.stored(versions[at] as string));
    }
    this.#end();
    for (const { state, type } of this.#buckets) {
      observer.onBucketWrite?.("written");
      const { plane, consumer } = state.key;
      figures.onFiguresChanged({ plane, consumer, resourceType: type }, () => state.shownLedger(type));
    }
    const changes = this.#settled.flatMap((ticket) => ticket.changes);
    const counts = new Map<string, number>();
    for (const { consumerId, granted } of changes) {
      counts.set(consumerId, (counts.get(consumerId) ?? 0) + granted.length);
    }
    for (const count of counts.values()) if (count > 0) observer.onBatch?.(count);
    for (const change of changes) this.#onGranted(change);
  }

  #onGranted({ key, granted }: QuotaChange): void {
    const { observer } = this.#options.deps;
    for (const { request } of granted) {
      const { namespace, name, consumer, resource } = request.claim;
      const metadata = { namespace, name, uid: request.uid };
      const claim = { metadata, consumer, resource };
      observer.onDecided?.(key.plane, "granted", { namespace, name, uid: request.uid, message: "", claim });
    }
  }

  /** New claims were never stored. Released claims still exist: their consumer state is rebuilt from the caches. */
  #rolledBack(): void {
    for (const { changes } of this.#settled) {
      for (const { consumerId, granted, released } of changes) {
        const state = this.#options.stateOf(consumerId);
        for (const { claim } of granted) state?.markNeverStored(claim.uid);
        if (released.length === 0) continue;
        state?.invalidate();
        this.#options.rebuild(consumerId);
      }
    }
    this.#end();
  }

  #end(): void {
    for (const state of this.#states) state.turns.end();
  }
}

function bucketKey({ id }: ConsumerState, type: string): string {
  return `${id}\n${type}`;
}

interface StateChange {
  readonly change: QuotaChange;
  readonly state: ConsumerState;
}

function typesOf({ granted, released }: QuotaChange): ReadonlySet<string> {
  const types = (parts: readonly ClaimPart[]): readonly string[] => parts.map(({ resourceType }) => resourceType);
  return new Set([...granted.flatMap(({ parts }) => types(parts)), ...released.flatMap(({ held }) => types(held))]);
}
