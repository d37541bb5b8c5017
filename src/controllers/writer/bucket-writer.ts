import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { openClaimOf } from "../../core/ledger/read-claim.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import { backoffMs } from "../../kube/backoff.ts";
import { again, type Outcome, settled, WorkQueue } from "../../kube/queue/work-queue.ts";
import type { Informer, ObjectPlace } from "../../kube/watch/informer.ts";
import type { JsonObject } from "../../protocol/json-value.ts";
import type { Birth } from "../../protocol/log-place.ts";
import type { Running, Runtime } from "../runtime.ts";
import { type ClaimRecord, ClaimRecords } from "../views/claim-record.ts";
import type { RegistrationIndex } from "../views/registration-index.ts";
import type { Views } from "../views/views.ts";
import { Deferred } from "./all-of.ts";
import { audit } from "./audit.ts";
import { decideBatch } from "./batch.ts";
import { bornAtOnce, type ComingEntry } from "./birth.ts";
import type { BucketKey, BucketViews } from "./bucket-views.ts";
import { ClaimStore } from "./claim-store.ts";
import { Desk, type DeskKey, deskId } from "./desk.ts";
import { DeskAnswers } from "./desk-answers.ts";
import type { EarlyClaims } from "./early-claims.ts";
import type { ForcedClaims } from "./forced-claims.ts";
import { tellOfMissingPlace } from "./no-place.ts";
import { removeUnused } from "./page-removal.ts";
import { PageStore } from "./page-store.ts";
import { foldMsMax } from "./page-writes.ts";
import type { DecisionListener, DeskPorts, Leadership } from "./ports.ts";
import { recount } from "./recount.ts";
import { type SeenPage, seenPages } from "./seen-pages.ts";
import { SharedTurn } from "./shared-turn.ts";
import { shrinkAll } from "./shrinking.ts";

export interface BucketWriterOptions {
  readonly runtime: Runtime;
  readonly views: Views;
  readonly registrations: RegistrationIndex;
  readonly forced: ForcedClaims;
  readonly early: EarlyClaims;
  readonly leadership: Leadership;
  readonly shown: BucketViews;
  readonly told?: DecisionListener;
}

/** How often the pages of a desk are read and counted anew though nothing happened, less often if nothing ever does. */
const recountMs = { active: 5 * 60_000, idle: 60 * 60_000 };
const desksAtOnce = 64;
/** Between rounds that came to nothing, because pages were written by somebody else, or could not be: on a full disk, say. */
const startOver = { minMs: 10, maxMs: 2_000 };
/** Nobody waits for what follows from a grant: its page is told of it with the next that it has to say. */
const grantedMs = 50;
const auditMs = 5 * 60_000;
/** For what is done at once. */
const { signal: unending } = new AbortController();

/** Decides claims and keeps pages: one desk for each consumer in each plane, each doing one thing at a time. */
export class BucketWriter implements Running {
  readonly #ports: DeskPorts;
  readonly #desks = new Map<string, Desk>();
  /** Desks whose counts are wrong: they start over with their next turn, never in the middle of one. */
  readonly #wrong = new Set<string>();
  readonly #queue: WorkQueue<string>;
  readonly #pages: Informer<JsonObject, SeenPage>;
  readonly #audits: WorkQueue<"audit">;
  readonly #records = new ClaimRecords();
  readonly #turn: SharedTurn;
  readonly #unsubscribe: (() => void)[] = [];
  #isStopped = false;

  constructor(options: BucketWriterOptions) {
    const { runtime, told = {}, early, ...given } = options;
    this.#ports = {
      ...given,
      runtime,
      told,
      pages: new PageStore(runtime),
      claims: new ClaimStore(runtime.planes),
      lookAgain: (id) => this.#queue.add(id),
    };
    this.#turn = new SharedTurn(runtime.turn);
    this.#queue = new WorkQueue<string>({
      work: (id, signal) => this.#work(id, signal),
      idOf: (id) => id,
      laneOf: (id) => id.slice(0, id.indexOf("\n")),
      told: runtime.toldQueues?.("buckets"),
      clock: runtime.clock,
      random: runtime.random,
      report: (error, id) => runtime.report(`bucket writer, ${id.replace("\n", ", ")}`, error),
      limits: { concurrency: desksAtOnce },
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
    const decide = this.#decideEarly.bind(this);
    this.#unsubscribe.push(early.tell({ decide, made: (plane, claim) => this.#sawEarly(plane, claim) }));
    this.#pages.start();
  }

  /** Lowers what a granted claim holds: its object needs no more than these parts. */
  shrink(place: ObjectPlace, uid: string, parts: readonly ClaimPart[]): void {
    const consumer = this.#ports.views.claims.get(place)?.consumer;
    if (consumer === undefined) return;
    const desk = this.#desk({ plane: place.plane, consumer });
    desk.shrinks.set(uid, { place, parts });
    this.#queue.add(desk.id);
  }

  /** Resolves when every page that was there is known. */
  get ready(): Promise<void> {
    return this.#pages.ready;
  }

  /** Whether anybody has, holds or wants this, or there is a page that says so. */
  knows({ plane, consumer, resourceType }: BucketKey): boolean {
    const desk = this.#desks.get(deskId({ plane, consumer }));
    return desk !== undefined && (desk.pages.has(resourceType) || desk.isNamed(resourceType));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const stop of this.#unsubscribe.splice(0)) stop();
    await Promise.all([this.#queue.stop(), this.#audits.stop(), this.#pages.stop()]);
    for (const desk of this.#desks.values()) letCome(desk);
    for (const desk of this.#desks.values()) await desk.underWay.over().catch(() => undefined);
  }

  #subscribe(): void {
    const { views, registrations, forced } = this.#ports;
    this.#unsubscribe.push(
      this.#pages.subscribe({
        added: ({ plane }, page) => this.#sawPage(plane, page),
        changed: ({ plane }, _, page) => this.#sawPage(plane, page),
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

  /** The desk of a consumer, which has something to look at. */
  #at({ plane }: Pick<ObjectPlace, "plane">, consumer: DeskKey["consumer"]): Desk {
    const desk = this.#desk({ plane, consumer });
    this.#queue.add(desk.id);
    return desk;
  }

  #desk(key: DeskKey): Desk {
    const id = deskId(key);
    const desk = this.#desks.get(id) ?? new Desk(key);
    this.#desks.set(id, desk);
    return desk;
  }

  /** What cannot be decided at once is stored undecided, and seen then. */
  async #decideEarly(plane: string, claim: ResourceClaim, stored: ComingEntry["stored"]): Promise<Birth | undefined> {
    await this.#turn.over();
    const desk = this.#desks.get(deskId({ plane, consumer: claim.consumer }));
    if (this.#isStopped || desk === undefined || !desk.isCounted) return undefined;
    const { namespace = "", name = "" } = claim.metadata;
    const place = { plane, namespace, name };
    return new Promise((answer) => {
      const entry = { place, claim, open: openClaimOf(claim, "coming"), answer, stored };
      const answers = new DeskAnswers(desk, this.#ports, unending);
      if (bornAtOnce(entry, { desk, ports: this.#ports, answers })) return;
      desk.expect(entry);
      this.#queue.add(desk.id);
    });
  }

  #sawEarly(plane: string, claim: ResourceClaim): void {
    const { namespace = "", name = "" } = claim.metadata;
    this.#sawClaim({ plane, namespace, name }, this.#records.of(claim));
  }

  #sawClaim(place: ObjectPlace, record: ClaimRecord): void {
    const desk = this.#desk({ plane: place.plane, consumer: record.consumer });
    if (desk.hasOpen(record)) return; // known from whoever made it
    const isNews = desk.observe(place, record);
    if (record.state !== "granted" || !desk.isCounted) this.#queue.add(desk.id);
    else if (isNews || desk.hasWritten(record.uid)) this.#queue.addAfter(desk.id, grantedMs);
  }

  /** A page that we did not write, or that somebody deleted without our knowing, is no longer what we think it is. */
  #sawPage(plane: string, { consumer, resourceType, writer, deleting }: SeenPage): void {
    const isKnown = (): boolean =>
      this.#desks.get(deskId({ plane, consumer }))?.pages.get(resourceType)?.deleting === true;
    if (this.#ports.pages.isOurs(writer) && (!deleting || isKnown())) return;
    this.#at({ plane }, consumer).sawPage(resourceType);
  }

  #reviewAll(resourceType: string): void {
    for (const [id, desk] of this.#desks) {
      if (desk.openCount === 0 && !desk.isGranted(resourceType)) continue;
      desk.reviewGrants();
      this.#queue.add(id);
    }
  }

  /** Counts that went wrong are a mistake of ours: it is told, and put right by starting over. */
  async #audit(signal: AbortSignal): Promise<Outcome> {
    const { runtime, views, told } = this.#ports;
    const drifts = await audit(this.#desks, runtime, views, signal);
    told.audited?.();
    for (const { desk, resourceType, by } of drifts) {
      const id = desk.id;
      told.drifted?.(resourceType, by);
      runtime.report(`audit, ${id.replace("\n", ", ")}`, new Error(`the count of ${resourceType} was wrong by ${by}`));
      if (this.#desks.get(id) !== desk) continue;
      this.#wrong.add(id);
      this.#queue.add(id);
    }
    return again(auditMs);
  }

  #rebuild(id: string, wrong: Desk): Desk {
    const { claims, grants } = this.#ports.views;
    const { key, shrinks } = wrong;
    letCome(wrong);
    const isOurs = ({ plane }: ObjectPlace, { consumer }: Pick<DeskKey, "consumer">): boolean =>
      deskId({ plane, consumer }) === id;
    const desk = new Desk(key);
    this.#desks.set(id, desk);
    for (const [place, record] of claims.entries()) if (isOurs(place, record)) desk.observe(place, record);
    for (const [place, grant] of grants.entries()) if (isOurs(place, grant)) desk.setGrant(nameOf(place), grant);
    for (const [place, page] of this.#pages.entries()) if (isOurs(place, page)) desk.sawPage(page.resourceType);
    for (const [uid, shrink] of shrinks) desk.shrinks.set(uid, shrink);
    return desk;
  }

  async #work(id: string, signal: AbortSignal): Promise<Outcome> {
    const kept = this.#desks.get(id);
    const isWrong = this.#wrong.delete(id);
    if (kept === undefined) return settled;
    const desk = isWrong ? this.#rebuild(id, kept) : kept;
    desk.isAtWork = true;
    try {
      const hasMore = await this.#round(desk, signal);
      if (desk.isIdle) this.#desks.delete(id);
      const pauseMs = this.#pauseMs(desk);
      return hasMore ? again(pauseMs) : this.#rest(desk);
    } catch (error) {
      desk.isCounted = false; // what was under way may have happened, or not
      letCome(desk);
      throw error;
    } finally {
      desk.isAtWork = false;
    }
  }

  async #round(desk: Desk, signal: AbortSignal): Promise<boolean> {
    const isCountDue = !desk.isCounted || this.#isCountDue(desk);
    if (isCountDue || desk.shrinks.size > 0 || desk.underWay.hasFailed) await desk.underWay.over();
    if (isCountDue) {
      await recount(desk, this.#ports, signal).catch((error: unknown) =>
        tellOfMissingPlace(error, desk, this.#ports, signal),
      );
    }
    const failures = new Deferred();
    const hasMore = await decideBatch(desk, this.#ports, failures, signal);
    await shrinkAll(desk, this.#ports, failures, signal);
    const isOvertaken = await removeUnused(desk, this.#ports, signal);
    if (desk.underWay.isNothing) desk.forgetGone();
    failures.throwFirst();
    return hasMore || isOvertaken || desk.shrinks.size > 0;
  }

  /** After somebody else wrote, not at once: two who start over at the same time would only meet again. */
  #pauseMs(desk: Desk): number {
    desk.startsOver = desk.isCounted ? 0 : desk.startsOver + 1;
    return backoffMs(desk.startsOver, startOver, this.#ports.runtime.random);
  }

  #isCountDue(desk: Desk): boolean {
    const sinceMs = this.#ports.runtime.elapsedMs() - desk.countedAtMs;
    return sinceMs >= (desk.isActive ? recountMs.active : recountMs.idle);
  }

  #rest(desk: Desk): Outcome {
    const { clock, elapsedMs } = this.#ports.runtime;
    if (desk.isIdle) return settled;
    const countMs = desk.countedAtMs + (desk.isActive ? recountMs.active : recountMs.idle) - elapsedMs();
    const foldMs = desk.foldSinceMs === undefined ? countMs : desk.foldSinceMs + foldMsMax - elapsedMs();
    const expiryMs = desk.capacityUntilMs - clock.now();
    const answerMs = desk.answers.dueMs - elapsedMs();
    return again(Math.max(1, Math.min(countMs, foldMs, expiryMs, answerMs)));
  }
}

/** Has claims stored undecided that wait to be told with what. */
function letCome(desk: Desk): void {
  for (const { answer } of desk.takeComing()) answer(undefined);
}

function nameOf({ namespace, name }: ObjectPlace): string {
  return `${namespace}/${name}`;
}
