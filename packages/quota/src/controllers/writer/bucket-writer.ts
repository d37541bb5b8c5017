import { backoffMs } from "@milo-quota/kubernetes/client/backoff.ts";
import {
  type ReconcileResult,
  reconciled,
  requeueAfter,
  WorkQueue,
} from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import type { ClaimRecord } from "../../views/claim-record.ts";
import type { RegistrationIndex } from "../../views/registration-index.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import { FailureCollector } from "../failure-collector.ts";
import { removeUnusedBuckets } from "./buckets/bucket-removal.ts";
import { BucketStore } from "./buckets/bucket-store.ts";
import { deferMsMax } from "./buckets/bucket-writes.ts";
import type { BucketKey, FiguresObserver } from "./buckets/figures-observer.ts";
import { bucketInformer, type ObservedBucket } from "./buckets/observed-buckets.ts";
import { ClaimStore } from "./claims/claim-store.ts";
import type { ForcedClaims } from "./claims/forced-claims.ts";
import { shrinkAll } from "./claims/shrinking.ts";
import { type ConsumerKey, ConsumerState, consumerId } from "./consumer-state.ts";
import { decideBatch } from "./decide-batch.ts";
import { detectDrift } from "./drift-detection.ts";
import { reportMissingNamespace } from "./missing-namespace.ts";
import { recount } from "./recount.ts";
import { Transactions } from "./transactions/transactions.ts";
import type { ConsumerLookup, DecisionObserver, Leadership, WriterDeps } from "./writer-deps.ts";

export interface BucketWriterOptions {
  readonly runtime: Runtime;
  readonly views: Views;
  readonly registrations: RegistrationIndex;
  readonly forced: ForcedClaims;
  readonly leadership: Leadership;
  readonly figures: FiguresObserver;
  readonly consumers?: ConsumerLookup;
  readonly observer?: DecisionObserver;
}

const unknownConsumers: ConsumerLookup = { uidOf: () => undefined };
/** How often a consumer is recounted without an event; less often if nothing changed since the last recount. */
const recountMs = { active: 5 * 60_000, idle: 60 * 60_000 };
const consumersAtOnce = 64;
/** Backoff after reconciles that ended without a valid count: conflicts with another writer, or a full disk. */
const retryBackoff = { minMs: 10, maxMs: 2_000 };
/** Folding a newly granted claim into its bucket waits this long, to be coalesced with the next bucket write. */
const grantedMs = 50;
const driftCheckMs = 5 * 60_000;

/** Decides claims and writes buckets. Reconciles one consumer in one control plane at a time. */
export class BucketWriter implements Running {
  /** For embedded mode, where the store is in this process. */
  readonly transactions: Transactions;
  readonly #deps: WriterDeps;
  readonly #states = new Map<string, ConsumerState>();
  /** Consumers whose ledger drifted. Their state is rebuilt when their next reconcile begins, never during one. */
  readonly #drifted = new Set<string>();
  readonly #queue: WorkQueue<string>;
  readonly #buckets: ReturnType<typeof bucketInformer>;
  readonly #driftChecks: WorkQueue<"check">;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: BucketWriterOptions) {
    const { runtime, consumers = unknownConsumers, observer = {}, ...deps } = options;
    this.#deps = {
      ...deps,
      runtime,
      consumers,
      observer,
      buckets: new BucketStore(runtime),
      claims: new ClaimStore(runtime.planes),
      requeue: (id) => this.#queue.add(id),
    };
    this.#queue = new WorkQueue<string>({
      reconcile: (id, signal) => this.#reconcile(id, signal),
      idOf: (id) => id,
      laneOf: (id) => id.slice(0, id.indexOf("\n")),
      observer: runtime.queueObservers?.("buckets"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, id) => runtime.report(`bucket writer, ${id.replace("\n", ", ")}`, error),
      limits: { concurrency: consumersAtOnce },
    });
    this.#driftChecks = new WorkQueue<"check">({
      reconcile: (_, signal) => this.#checkDrift(signal),
      idOf: (id) => id,
      clock: runtime.clock,
      random: runtime.random,
      report: (error) => runtime.report("drift detection", error),
    });
    this.#driftChecks.addAfter("check", driftCheckMs);
    this.#buckets = bucketInformer(runtime);
    this.#subscribe();
    const stateOf = (id: string): ConsumerState | undefined => this.#states.get(id);
    const rebuild = (id: string): void => this.#requestRebuild(id);
    this.transactions = new Transactions({ deps: this.#deps, stateOf, rebuild });
    this.#buckets.start();
  }

  /** Lowers the allocations of a granted claim to these parts. */
  shrink(key: PlaneObjectKey, uid: string, parts: readonly ClaimPart[]): void {
    const consumer = this.#deps.views.claims.get(key)?.consumer;
    if (consumer === undefined) return;
    const state = this.#state({ plane: key.plane, consumer });
    state.shrinks.set(uid, { key, parts });
    this.#queue.add(state.id);
  }

  /** Resolves when the bucket informer has synced. */
  get ready(): Promise<void> {
    return this.#buckets.synced;
  }

  /** Whether a bucket exists, or a grant or claim names the resource type. */
  knows({ plane, consumer, resourceType }: BucketKey): boolean {
    const state = this.#states.get(consumerId({ plane, consumer }));
    return state !== undefined && (state.buckets.has(resourceType) || state.isNamed(resourceType));
  }

  async stop(): Promise<void> {
    for (const stop of this.#unsubscribe.splice(0)) stop();
    await Promise.all([this.#queue.stop(), this.#driftChecks.stop(), this.#buckets.stop()]);
  }

  #subscribe(): void {
    const { views, registrations, forced } = this.#deps;
    this.#unsubscribe.push(
      this.#buckets.subscribe({
        onAdd: ({ plane }, bucket) => this.#observeBucket(plane, bucket),
        onUpdate: ({ plane }, before, bucket) => {
          const isRecountRequested = before.recount !== bucket.recount;
          this.#observeBucket(plane, isRecountRequested ? { ...bucket, writer: "" } : bucket);
        },
        onDelete: ({ plane }, bucket) => this.#observeBucket(plane, { ...bucket, writer: "" }),
      }),
      views.grants.subscribe({
        onAdd: (key, grant) => this.#enqueue(key, grant.consumer).setGrant(nameOf(key), grant),
        onUpdate: (key, before, grant) => {
          this.#enqueue(key, before.consumer).dropGrant(nameOf(key));
          this.#enqueue(key, grant.consumer).setGrant(nameOf(key), grant);
        },
        onDelete: (key, grant) => this.#enqueue(key, grant.consumer).dropGrant(nameOf(key)),
      }),
      views.claims.subscribe({
        onAdd: (key, record) => this.#observeClaim(key, record),
        onUpdate: (key, _, record) => this.#observeClaim(key, record),
        onDelete: (key, record) => this.#enqueue(key, record.consumer).markGone(record.uid),
      }),
      registrations.onChange((resourceType) => this.#reviewAll(resourceType)),
      forced.onChange((key) => {
        const consumer = views.claims.get(key)?.consumer;
        if (consumer !== undefined) this.#enqueue(key, consumer);
      }),
    );
  }

  /** Queues a reconcile of a consumer and returns its state. */
  #enqueue({ plane }: Pick<PlaneObjectKey, "plane">, consumer: ConsumerKey["consumer"]): ConsumerState {
    const state = this.#state({ plane, consumer });
    this.#queue.add(state.id);
    return state;
  }

  #state(key: ConsumerKey): ConsumerState {
    const id = consumerId(key);
    const state = this.#states.get(id) ?? new ConsumerState(key);
    this.#states.set(id, state);
    return state;
  }

  #observeClaim(key: PlaneObjectKey, record: ClaimRecord): void {
    const state = this.#state({ plane: key.plane, consumer: record.consumer });
    const hasChanged = state.observe(key, record);
    if (record.state !== "granted" || !state.isCounted) this.#queue.add(state.id);
    else if (hasChanged || state.hasReservation(record.uid)) this.#queue.addAfter(state.id, grantedMs);
  }

  /** Ignores our own writes. Any other write, or a deletion, invalidates the count of the consumer. */
  #observeBucket(plane: string, { consumer, resourceType, writer, deleting }: ObservedBucket): void {
    const isDeletionKnown = (): boolean =>
      this.#states.get(consumerId({ plane, consumer }))?.buckets.get(resourceType)?.deleting === true;
    if (this.#deps.buckets.isOurs(writer) && (!deleting || isDeletionKnown())) return;
    this.#enqueue({ plane }, consumer).observeBucket(resourceType);
  }

  #reviewAll(resourceType: string): void {
    for (const [id, state] of this.#states) {
      if (state.openCount === 0 && !state.isGranted(resourceType)) continue;
      state.reviewGrants();
      this.#queue.add(id);
    }
  }

  /** Drift is a bug in this process: report it, and repair it by rebuilding the state. */
  async #checkDrift(signal: AbortSignal): Promise<ReconcileResult> {
    const { runtime, views, observer } = this.#deps;
    const drifts = await detectDrift(this.#states, runtime, views, signal);
    observer.onDriftCheck?.();
    for (const { state, resourceType, by } of drifts) {
      const id = state.id;
      observer.onDrift?.(resourceType, by);
      const error = new Error(`the ledger of ${resourceType} differed from its claims by ${by}`);
      runtime.report(`drift detection, ${id.replace("\n", ", ")}`, error);
      if (this.#states.get(id) === state) this.#requestRebuild(id);
    }
    return requeueAfter(driftCheckMs);
  }

  #requestRebuild(id: string): void {
    this.#drifted.add(id);
    this.#queue.add(id);
  }

  #rebuild(id: string, drifted: ConsumerState): ConsumerState {
    const { claims, grants } = this.#deps.views;
    const { key, shrinks, turns } = drifted;
    const isOwn = ({ plane }: PlaneObjectKey, { consumer }: Pick<ConsumerKey, "consumer">): boolean =>
      consumerId({ plane, consumer }) === id;
    const state = new ConsumerState(key, turns);
    this.#states.set(id, state);
    for (const [at, record] of claims.entries()) if (isOwn(at, record)) state.observe(at, record);
    for (const [at, grant] of grants.entries()) if (isOwn(at, grant)) state.setGrant(nameOf(at), grant);
    for (const [at, bucket] of this.#buckets.entries()) if (isOwn(at, bucket)) state.observeBucket(bucket.resourceType);
    for (const [uid, shrink] of shrinks) state.shrinks.set(uid, shrink);
    return state;
  }

  async #reconcile(id: string, signal: AbortSignal): Promise<ReconcileResult> {
    const before = this.#states.get(id);
    if (before === undefined) return reconciled;
    await before.turns.beginReconcile();
    try {
      const state = this.#drifted.delete(id) ? this.#rebuild(id, before) : before;
      return await this.#reconcileState(state, signal);
    } finally {
      before.turns.end();
    }
  }

  async #reconcileState(state: ConsumerState, signal: AbortSignal): Promise<ReconcileResult> {
    try {
      const hasMore = await this.#decideAndWrite(state, signal);
      const failures = state.endReconcile();
      if (hasMore) return requeueAfter(backoffMs(failures, retryBackoff, this.#deps.runtime.random));
      return this.#nextReconcile(state);
    } catch (error) {
      state.invalidate(); // writes in flight may have been applied, or not
      throw error;
    }
  }

  async #decideAndWrite(state: ConsumerState, signal: AbortSignal): Promise<boolean> {
    if (!state.isCounted || this.#isRecountDue(state)) {
      await recount(state, this.#deps, signal).catch((error: unknown) =>
        reportMissingNamespace(error, state, this.#deps, signal),
      );
    }
    const failures = new FailureCollector();
    const hasMore = await decideBatch(state, this.#deps, failures, signal);
    await shrinkAll(state, this.#deps, failures, signal);
    const isOvertaken = await removeUnusedBuckets(state, this.#deps, signal);
    state.forgetGone();
    failures.throwFirst();
    return hasMore || isOvertaken || state.shrinks.size > 0;
  }

  #isRecountDue(state: ConsumerState): boolean {
    const sinceMs = this.#deps.runtime.elapsedMs() - state.countedAtMs;
    return sinceMs >= (state.isActive ? recountMs.active : recountMs.idle);
  }

  #nextReconcile(state: ConsumerState): ReconcileResult {
    const { clock, elapsedMs } = this.#deps.runtime;
    if (state.isIdle) {
      this.#states.delete(state.id);
      return reconciled;
    }
    const recountInMs = state.countedAtMs + (state.isActive ? recountMs.active : recountMs.idle) - elapsedMs();
    const deferredInMs =
      state.deferredSinceMs === undefined ? recountInMs : state.deferredSinceMs + deferMsMax - elapsedMs();
    const expiryInMs = state.capacityUntilMs - clock.now();
    return requeueAfter(Math.max(1, Math.min(recountInMs, deferredInMs, expiryInMs)));
  }
}

function nameOf({ namespace, name }: PlaneObjectKey): string {
  return `${namespace}/${name}`;
}
