import { backoffMs } from "@milo-quota/kubernetes/client/backoff.ts";
import { again, type Outcome, settled, WorkQueue } from "@milo-quota/kubernetes/client/queue/work-queue.ts";
import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import type { ClaimRecord } from "../../views/claim-record.ts";
import type { RegistrationIndex } from "../../views/registration-index.ts";
import type { Running, Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import { Deferred } from "./all-of.ts";
import { audit } from "./audit.ts";
import { ClaimStore } from "./claims/claim-store.ts";
import type { ForcedClaims } from "./claims/forced-claims.ts";
import { shrinkAll } from "./claims/shrinking.ts";
import { type ConsumerKey, ConsumerState, consumerId } from "./consumer-state.ts";
import { decideBatch } from "./decide-batch.ts";
import { tellOfMissingPlace } from "./no-place.ts";
import type { BucketKey, BucketViews } from "./pages/bucket-views.ts";
import { removeUnused } from "./pages/page-removal.ts";
import { PageStore } from "./pages/page-store.ts";
import { foldMsMax } from "./pages/page-writes.ts";
import { type SeenPage, seenPages } from "./pages/seen-pages.ts";
import { recount } from "./recount.ts";
import { Transactions } from "./transactions/transactions.ts";
import type { DecisionListener, Leadership, WriterDeps } from "./writer-deps.ts";

export interface BucketWriterOptions {
  readonly runtime: Runtime;
  readonly views: Views;
  readonly registrations: RegistrationIndex;
  readonly forced: ForcedClaims;
  readonly leadership: Leadership;
  readonly shown: BucketViews;
  readonly observer?: DecisionListener;
}

/** How often the pages of a consumer are read and counted anew though nothing happened, less often if nothing ever does. */
const recountMs = { active: 5 * 60_000, idle: 60 * 60_000 };
const consumersAtOnce = 64;
/** Between rounds that came to nothing, because pages were written by somebody else, or could not be: on a full disk, say. */
const startOver = { minMs: 10, maxMs: 2_000 };
/** A claim that turns out to be granted is coalesced with the next write of its page, within this time. */
const grantedMs = 50;
const auditMs = 5 * 60_000;
/** Decides claims and keeps pages: for each consumer in each plane one thing at a time. */
export class BucketWriter implements Running {
  /** For a store in this process. */
  readonly transactions: Transactions;
  readonly #deps: WriterDeps;
  readonly #states = new Map<string, ConsumerState>();
  /** Consumers whose counts are wrong: they start over with their next round, never in the middle of one. */
  readonly #wrong = new Set<string>();
  readonly #queue: WorkQueue<string>;
  readonly #pages: ReturnType<typeof seenPages>;
  readonly #audits: WorkQueue<"audit">;
  readonly #unsubscribe: (() => void)[] = [];

  constructor(options: BucketWriterOptions) {
    const { runtime, observer = {}, ...given } = options;
    this.#deps = {
      ...given,
      runtime,
      observer,
      pages: new PageStore(runtime),
      claims: new ClaimStore(runtime.planes),
      lookAgain: (id) => this.#queue.add(id),
    };
    this.#queue = new WorkQueue<string>({
      work: (id, signal) => this.#work(id, signal),
      idOf: (id) => id,
      laneOf: (id) => id.slice(0, id.indexOf("\n")),
      told: runtime.toldQueues?.("buckets"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, id) => runtime.report(`bucket writer, ${id.replace("\n", ", ")}`, error),
      limits: { concurrency: consumersAtOnce },
    });
    this.#audits = new WorkQueue<"audit">({
      work: (_, signal) => this.#audit(signal),
      idOf: (id) => id,
      clock: runtime.clock,
      random: runtime.random,
      report: (error) => runtime.report("audit of claims", error),
    });
    this.#audits.addAfter("audit", auditMs);
    this.#pages = seenPages(runtime);
    this.#subscribe();
    const stateOf = (id: string): ConsumerState | undefined => this.#states.get(id);
    const rebuild = (id: string): void => this.#startOver(id);
    this.transactions = new Transactions({ deps: this.#deps, stateOf, rebuild });
    this.#pages.start();
  }

  /** Lowers what a granted claim holds: its object needs no more than these parts. */
  shrink(place: ObjectPlace, uid: string, parts: readonly ClaimPart[]): void {
    const consumer = this.#deps.views.claims.get(place)?.consumer;
    if (consumer === undefined) return;
    const state = this.#state({ plane: place.plane, consumer });
    state.shrinks.set(uid, { place, parts });
    this.#queue.add(state.id);
  }

  /** Resolves when every page that was there is known. */
  get ready(): Promise<void> {
    return this.#pages.ready;
  }

  /** Whether anybody has, holds or wants this, or there is a page that says so. */
  knows({ plane, consumer, resourceType }: BucketKey): boolean {
    const state = this.#states.get(consumerId({ plane, consumer }));
    return state !== undefined && (state.pages.has(resourceType) || state.isNamed(resourceType));
  }

  async stop(): Promise<void> {
    for (const stop of this.#unsubscribe.splice(0)) stop();
    await Promise.all([this.#queue.stop(), this.#audits.stop(), this.#pages.stop()]);
  }

  #subscribe(): void {
    const { views, registrations, forced } = this.#deps;
    this.#unsubscribe.push(
      this.#pages.subscribe({
        added: ({ plane }, page) => this.#sawPage(plane, page),
        changed: ({ plane }, before, page) => {
          const isAsked = before.recount !== page.recount;
          this.#sawPage(plane, isAsked ? { ...page, writer: "" } : page);
        },
        removed: ({ plane }, page) => this.#sawPage(plane, { ...page, writer: "" }),
      }),
      views.grants.subscribe({
        added: (place, grant) => this.#at(place, grant.consumer).setGrant(nameOf(place), grant),
        changed: (place, before, grant) => {
          this.#at(place, before.consumer).dropGrant(nameOf(place));
          this.#at(place, grant.consumer).setGrant(nameOf(place), grant);
        },
        removed: (place, grant) => this.#at(place, grant.consumer).dropGrant(nameOf(place)),
      }),
      views.claims.subscribe({
        added: (place, record) => this.#sawClaim(place, record),
        changed: (place, _, record) => this.#sawClaim(place, record),
        removed: (place, record) => this.#at(place, record.consumer).gone(record.uid),
      }),
      registrations.onChange((resourceType) => this.#reviewAll(resourceType)),
      forced.onChange((place) => {
        const consumer = views.claims.get(place)?.consumer;
        if (consumer !== undefined) this.#at(place, consumer);
      }),
    );
  }

  /** The state of a consumer, which has something to look at. */
  #at({ plane }: Pick<ObjectPlace, "plane">, consumer: ConsumerKey["consumer"]): ConsumerState {
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

  #sawClaim(place: ObjectPlace, record: ClaimRecord): void {
    const state = this.#state({ plane: place.plane, consumer: record.consumer });
    const isNews = state.observe(place, record);
    if (record.state !== "granted" || !state.isCounted) this.#queue.add(state.id);
    else if (isNews || state.hasWritten(record.uid)) this.#queue.addAfter(state.id, grantedMs);
  }

  /** A page that we did not write, or that somebody deleted without our knowing, is no longer what we think it is. */
  #sawPage(plane: string, { consumer, resourceType, writer, deleting }: SeenPage): void {
    const isKnown = (): boolean =>
      this.#states.get(consumerId({ plane, consumer }))?.pages.get(resourceType)?.deleting === true;
    if (this.#deps.pages.isOurs(writer) && (!deleting || isKnown())) return;
    this.#at({ plane }, consumer).sawPage(resourceType);
  }

  #reviewAll(resourceType: string): void {
    for (const [id, state] of this.#states) {
      if (state.openCount === 0 && !state.isGranted(resourceType)) continue;
      state.reviewGrants();
      this.#queue.add(id);
    }
  }

  /** Counts that went wrong are a mistake of ours: it is told, and put right by starting over. */
  async #audit(signal: AbortSignal): Promise<Outcome> {
    const { runtime, views, observer } = this.#deps;
    const drifts = await audit(this.#states, runtime, views, signal);
    observer.audited?.();
    for (const { state, resourceType, by } of drifts) {
      const id = state.id;
      observer.drifted?.(resourceType, by);
      runtime.report(`audit, ${id.replace("\n", ", ")}`, new Error(`the count of ${resourceType} was wrong by ${by}`));
      if (this.#states.get(id) === state) this.#startOver(id);
    }
    return again(auditMs);
  }

  #startOver(id: string): void {
    this.#wrong.add(id);
    this.#queue.add(id);
  }

  #rebuild(id: string, wrong: ConsumerState): ConsumerState {
    const { claims, grants } = this.#deps.views;
    const { key, shrinks, turns } = wrong;
    const isOurs = ({ plane }: ObjectPlace, { consumer }: Pick<ConsumerKey, "consumer">): boolean =>
      consumerId({ plane, consumer }) === id;
    const state = new ConsumerState(key, turns);
    this.#states.set(id, state);
    for (const [place, record] of claims.entries()) if (isOurs(place, record)) state.observe(place, record);
    for (const [place, grant] of grants.entries()) if (isOurs(place, grant)) state.setGrant(nameOf(place), grant);
    for (const [place, page] of this.#pages.entries()) if (isOurs(place, page)) state.sawPage(page.resourceType);
    for (const [uid, shrink] of shrinks) state.shrinks.set(uid, shrink);
    return state;
  }

  async #work(id: string, signal: AbortSignal): Promise<Outcome> {
    const kept = this.#states.get(id);
    if (kept === undefined) return settled;
    await kept.turns.beginRound();
    try {
      const state = this.#wrong.delete(id) ? this.#rebuild(id, kept) : kept;
      return await this.#inTurn(state, signal);
    } finally {
      kept.turns.end();
    }
  }

  async #inTurn(state: ConsumerState, signal: AbortSignal): Promise<Outcome> {
    try {
      const hasMore = await this.#round(state, signal);
      const failedRounds = state.endRound();
      if (hasMore) return again(backoffMs(failedRounds, startOver, this.#deps.runtime.random));
      return this.#rest(state);
    } catch (error) {
      state.invalidate(); // what was begun may have happened, or not
      throw error;
    }
  }

  async #round(state: ConsumerState, signal: AbortSignal): Promise<boolean> {
    if (!state.isCounted || this.#isCountDue(state)) {
      await recount(state, this.#deps, signal).catch((error: unknown) =>
        tellOfMissingPlace(error, state, this.#deps, signal),
      );
    }
    const failures = new Deferred();
    const hasMore = await decideBatch(state, this.#deps, failures, signal);
    await shrinkAll(state, this.#deps, failures, signal);
    const isOvertaken = await removeUnused(state, this.#deps, signal);
    state.forgetGone();
    failures.throwFirst();
    return hasMore || isOvertaken || state.shrinks.size > 0;
  }

  #isCountDue(state: ConsumerState): boolean {
    const sinceMs = this.#deps.runtime.elapsedMs() - state.countedAtMs;
    return sinceMs >= (state.isActive ? recountMs.active : recountMs.idle);
  }

  #rest(state: ConsumerState): Outcome {
    const { clock, elapsedMs } = this.#deps.runtime;
    if (state.isIdle) {
      this.#states.delete(state.id);
      return settled;
    }
    const countMs = state.countedAtMs + (state.isActive ? recountMs.active : recountMs.idle) - elapsedMs();
    const foldMs = state.foldSinceMs === undefined ? countMs : state.foldSinceMs + foldMsMax - elapsedMs();
    const expiryMs = state.capacityUntilMs - clock.now();
    return again(Math.max(1, Math.min(countMs, foldMs, expiryMs)));
  }
}

function nameOf({ namespace, name }: ObjectPlace): string {
  return `${namespace}/${name}`;
}
