import type { ClaimKnowledge, ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { ConsumerLedger } from "../../core/ledger/consumer-ledger.ts";
import { type OpenClaim, pagesOf } from "../../core/ledger/page.ts";
import type { PageBook } from "../../core/ledger/page-book.ts";
import { capacityOf } from "../../core/ledger/pools.ts";
import { openClaimOf } from "../../core/ledger/read-claim.ts";
import { type ConsumerRef, consumerKey } from "../../core/resources/consumer-ref.ts";
import { grantActivity } from "../../core/resources/grant-activity.ts";
import type { RegistrationView } from "../../core/resources/registration-rules.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import type { ObjectPlace } from "../../kube/watch/informer.ts";
import { isOlder } from "../../kube/watch/revision.ts";
import type { ClaimRecord } from "../views/claim-record.ts";
import { Ahead } from "./ahead.ts";
import type { ComingEntry } from "./birth.ts";
import type { DeskPage } from "./desk-page.ts";
import { PatientAnswers } from "./patient-answers.ts";
import { UnderWay } from "./under-way.ts";

/** Whose quota, and in which plane. */
export interface DeskKey {
  readonly plane: string;
  readonly consumer: ConsumerRef;
}

export function deskId({ plane, consumer }: DeskKey): string {
  return `${plane}\n${consumerKey(consumer)}`;
}

/** A claim that waits for its answer. */
export interface OpenEntry {
  readonly place: ObjectPlace;
  readonly claim: ResourceClaim;
  readonly open: OpenClaim;
}

/** A claim that is to hold less than it does. */
export interface Shrink {
  readonly place: ObjectPlace;
  readonly parts: readonly ClaimPart[];
}

/** Everything that is known of one consumer: its claims, grants and pages. Nothing in here asks anybody. */
export class Desk {
  readonly key: DeskKey;
  readonly id: string;
  readonly ledger = new ConsumerLedger();
  readonly pages = new Map<string, DeskPage>();
  /** Whether the pages were read, and then counted, since anybody else may have written them. */
  isCounted = false;
  /** How many rounds in a row came to nothing. */
  startsOver = 0;
  /** Since when there is something to write down that can wait for company. */
  foldSinceMs: number | undefined;
  countedAtMs = 0;
  /** Whether somebody works at it. */
  isAtWork = false;
  /** Whether anything has happened since the last count. */
  isActive = false;
  /** How many things were learned of claims. */
  changes = 0;
  /** How many things were learned of grants. */
  grantChanges = 0;
  readonly #open = new Map<string, OpenEntry>();
  readonly #grants = new Map<string, ResourceGrant>();
  /** What granted claims are to hold from now on, where that is less. */
  readonly shrinks = new Map<string, Shrink>();
  /** Grants that nobody waits for. */
  readonly answers = new PatientAnswers();
  /** Claims that are being stored as granted meanwhile. */
  readonly underWay = new UnderWay();
  readonly ahead = new Ahead();
  #coming: ComingEntry[] = [];
  readonly #gone = new Set<string>();
  readonly #fences = new Map<string, Set<string>>();
  /** Types of which a page was seen. */
  readonly #seen = new Set<string>();
  #activeTypes: ReadonlySet<string> = new Set();
  #countedGrantChanges = -1;
  #capacityUntilMs = Number.POSITIVE_INFINITY;

  constructor(key: DeskKey) {
    this.key = key;
    this.id = deskId(key);
  }

  /** Claims that wait, in the order in which they came. */
  get open(): Iterable<OpenEntry> {
    return this.#open.values();
  }

  get openCount(): number {
    return this.#open.size;
  }

  entry(uid: string): OpenEntry | undefined {
    return this.#open.get(uid);
  }

  /** Whether this very version of a claim that waits is known. */
  hasOpen({ uid, version, state }: ClaimRecord): boolean {
    return state === "pending" && this.#open.get(uid)?.claim.metadata.resourceVersion === version;
  }

  /** Whether a claim that waits is promised all it asks for, and only has to be told. */
  isPromised(uid: string): boolean {
    return this.answers.has(uid) || this.underWay.has(uid);
  }

  /** Whether any page still says that something is promised to this claim. */
  hasWritten(uid: string): boolean {
    for (const { page } of this.pages.values()) {
      if (page.content.reservations.some(({ claim }) => claim.uid === uid)) return true;
    }
    return false;
  }

  /** Takes in a claim as it was seen, in whatever order and however often. Whether it was news. */
  observe(place: ObjectPlace, record: ClaimRecord): boolean {
    const isNews = this.#learn(record.uid, knowledgeIn(record));
    if (this.ledger.knowledgeOf(record.uid)?.state !== "pending" || record.open === undefined) return isNews;
    const known = this.#open.get(record.uid)?.claim.metadata.resourceVersion ?? "";
    if (isOlder(record.version, known)) return isNews;
    this.#open.set(record.uid, { place, claim: record.open, open: openClaimOf(record.open, "waiting") });
    return true;
  }

  /** Whether all is counted, nobody works at it, and nobody waits. */
  get isFree(): boolean {
    return this.isCounted && !this.isAtWork && this.#open.size === 0 && this.#coming.length === 0;
  }

  /** A claim is about to be stored, and waits to be told with what. */
  expect(entry: ComingEntry): void {
    this.#coming.push(entry);
  }

  /** All of those that wait; whoever takes them answers them. */
  takeComing(): readonly ComingEntry[] {
    return this.#coming.splice(0);
  }

  /** Takes in what has become of a claim by our own hand. */
  decided(uid: string, knowledge: ClaimKnowledge): void {
    this.#learn(uid, knowledge);
  }

  gone(uid: string): void {
    this.#learn(uid, { state: "gone" });
    this.#gone.add(uid);
  }

  /** Remembers which of these were found to be gone, to forget them in time. */
  noteGone(uids: Iterable<string>): void {
    for (const uid of uids) if (this.ledger.knowledgeOf(uid)?.state === "gone") this.#gone.add(uid);
  }

  /** Forgets claims that are gone. Only while nothing is under way that could still speak of them. */
  forgetGone(): void {
    this.ledger.forget(this.#gone);
    this.#gone.clear();
  }

  setGrant(id: string, grant: ResourceGrant): void {
    this.#grants.set(id, grant);
    this.grantChanges += 1;
  }

  dropGrant(id: string): void {
    if (this.#grants.delete(id)) this.grantChanges += 1;
  }

  /** Something else has changed that may let grants count, or not. */
  reviewGrants(): void {
    this.grantChanges += 1;
  }

  /** Until when the grants give what they give, if nothing changes. */
  get capacityUntilMs(): number {
    return this.#capacityUntilMs;
  }

  /** Takes over what the grants give by now, where that may have changed. */
  countGrants(view: RegistrationView, nowMs: number): void {
    if (this.#countedGrantChanges === this.grantChanges && nowMs < this.#capacityUntilMs) return;
    this.#countedGrantChanges = this.grantChanges;
    this.#capacityUntilMs = Number.POSITIVE_INFINITY;
    const active = [...this.#grants.values()].filter((grant) => {
      const activity = grantActivity(grant, view, nowMs);
      if (activity.state !== "active") return false;
      this.#capacityUntilMs = Math.min(this.#capacityUntilMs, activity.untilMs ?? Number.POSITIVE_INFINITY);
      return true;
    });
    const types = new Set(active.flatMap(({ allowances }) => allowances.map(({ resourceType }) => resourceType)));
    for (const type of new Set([...types, ...this.#activeTypes])) {
      this.ledger.setCapacity(type, capacityOf(active, type));
    }
    this.#activeTypes = types;
  }

  /** Resource types whose pages matter: somebody has, holds or wants them, or there is a page. */
  types(): ReadonlySet<string> {
    const held = [...this.ledger.books].filter((book) => book.claimCount > 0).map((book) => book.resourceType);
    const wanted = [...this.#open.values()].flatMap(({ open }) => pagesOf(open));
    return new Set([...this.#activeTypes, ...held, ...wanted, ...this.pages.keys(), ...this.#seen]);
  }

  /** There is a page of this type, or was, and somebody else may have written it. */
  sawPage(type: string): void {
    this.#seen.add(type);
    this.isCounted = false;
  }

  /** What is shown of a type beside its page; nothing, when there is no page. */
  shownBook(type: string): PageBook | undefined {
    return this.pages.has(type) ? this.ledger.book(type) : undefined;
  }

  /** Whether a page has to be there, whoever else wants it or not. */
  isUsed(type: string): boolean {
    return this.#activeTypes.has(type) || this.ledger.book(type).claimCount > 0;
  }

  /** Whether everything that is granted or held has a page. */
  get hasUsedPages(): boolean {
    const isThere = (type: string): boolean => this.pages.has(type);
    return (
      [...this.#activeTypes].every(isThere) &&
      [...this.ledger.books].every((book) => book.claimCount === 0 || isThere(book.resourceType))
    );
  }

  /** Whether any grant or claim names a resource type. */
  isNamed(type: string): boolean {
    if (this.isUsed(type) || this.isGranted(type)) return true;
    return [...this.#open.values()].some(({ open }) => pagesOf(open).includes(type));
  }

  /** Whether a grant names a resource type, whether it counts or not. */
  isGranted(type: string): boolean {
    return [...this.#grants.values()].some(({ allowances }) => allowances.some((each) => each.resourceType === type));
  }

  /** Whether nothing is left to keep in mind. */
  get isIdle(): boolean {
    const isNothingKnown = this.#open.size === 0 && this.#grants.size === 0 && this.ledger.claimCount === 0;
    return isNothingKnown && this.pages.size === 0 && this.#seen.size === 0 && this.#coming.length === 0;
  }

  /** Takes over a page as it was read. If somebody else has written it, it is no fence any more. */
  putPage(type: string, page: DeskPage): void {
    if (this.pages.get(type)?.page.version !== page.page.version) {
      for (const fenced of this.#fences.values()) fenced.delete(type);
    }
    this.pages.set(type, page);
  }

  dropPage(type: string): void {
    this.pages.delete(type);
    this.#seen.delete(type);
    for (const fenced of this.#fences.values()) fenced.delete(type);
  }

  /** Takes over a page as we wrote it: no swap that was prepared before can succeed on it. */
  wrotePage(type: string, page: DeskPage): void {
    this.pages.set(type, page);
    for (const fenced of this.#fences.values()) fenced.add(type);
  }

  /** The pages that we have written since promises to this claim were found that nobody completed. */
  fencesOf(uid: string): ReadonlySet<string> {
    const fenced = this.#fences.get(uid) ?? new Set<string>();
    this.#fences.set(uid, fenced);
    return fenced;
  }

  dropFences(uid: string): void {
    this.#fences.delete(uid);
  }

  #learn(uid: string, knowledge: ClaimKnowledge): boolean {
    const isNews = this.ledger.learn(uid, knowledge);
    this.changes += 1;
    this.isActive ||= isNews;
    if (this.ledger.knowledgeOf(uid)?.state === "pending") return isNews;
    this.#open.delete(uid);
    this.#fences.delete(uid);
    return isNews;
  }
}

function knowledgeIn({ state, deleting, parts }: ClaimRecord): ClaimKnowledge {
  return state === "granted" ? { state, parts } : state === "pending" ? { state, deleting } : { state };
}
