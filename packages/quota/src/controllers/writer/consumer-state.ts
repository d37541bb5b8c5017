import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import { isOlder } from "@milo-quota/kubernetes/client/watch/revision.ts";
import type { ClaimKnowledge, ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { ConsumerLedger } from "../../core/ledger/consumer-ledger.ts";
import { type OpenClaim, resourceTypesOf } from "../../core/ledger/ledger-bucket.ts";
import { capacityOf } from "../../core/ledger/pools.ts";
import { openClaimOf } from "../../core/ledger/read-claim.ts";
import type { TypeLedger } from "../../core/ledger/type-ledger.ts";
import { type ConsumerRef, consumerKey } from "../../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { ResourceGrant } from "../../core/resources/resource-grant.ts";
import { grantActivity } from "../../core/resources/rules/grant-activity.ts";
import type { RegistrationView } from "../../core/resources/rules/registration-rules.ts";
import type { ClaimRecord } from "../../views/claim-record.ts";
import { Fences } from "./fences.ts";
import type { StoredPage } from "./pages/stored-page.ts";
import { Turns } from "./transactions/turns.ts";

/** Whose quota, and in which plane. */
export interface ConsumerKey {
  readonly plane: string;
  readonly consumer: ConsumerRef;
}

export function consumerId({ plane, consumer }: ConsumerKey): string {
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

/**
 * Whether the pages were read, and then counted, since anybody else may have written them. Nothing is decided unless they
 * are `counted`; a count that is overtaken by a foreign write ends as `uncounted`.
 */
type Phase = "uncounted" | "counting" | "counted";

/** Everything that is known of one consumer in one plane: its claims, grants and pages. Nothing in here asks anybody. */
export class ConsumerState {
  readonly key: ConsumerKey;
  readonly id: string;
  readonly ledger = new ConsumerLedger();
  readonly fences = new Fences();
  /** Rounds of the writer and transactions take turns. */
  readonly turns: Turns;
  /** What granted claims are to hold from now on, where that is less. */
  readonly shrinks = new Map<string, Shrink>();
  readonly #pages = new Map<string, StoredPage>();
  readonly #open = new Map<string, OpenEntry>();
  readonly #grants = new Map<string, ResourceGrant>();
  /** Claims that are gone and may be forgotten when nothing on its way can still speak of them. */
  readonly #gone = new Set<string>();
  /** Claims that were removed by transactions, of which the view may still have to hear that they ever were. */
  readonly #removed = new Set<string>();
  /** Types of which a page was seen. */
  readonly #seen = new Set<string>();
  #phase: Phase = "uncounted";
  #countedAtMs = 0;
  #isActive = false;
  #changes = 0;
  #grantChanges = 0;
  #countedGrantChanges = -1;
  #activeTypes: ReadonlySet<string> = new Set();
  #capacityUntilMs = Number.POSITIVE_INFINITY;
  #foldSinceMs: number | undefined;
  #failedRounds = 0;

  constructor(key: ConsumerKey, turns = new Turns()) {
    this.key = key;
    this.turns = turns;
    this.id = consumerId(key);
  }

  // Counting.

  get isCounted(): boolean {
    return this.#phase === "counted";
  }

  /** When the last count ended. */
  get countedAtMs(): number {
    return this.#countedAtMs;
  }

  /** Whether anything has happened since then. */
  get isActive(): boolean {
    return this.#isActive;
  }

  beginCount(): void {
    this.#phase = "counting";
  }

  /** Pages, claims and grants are known as of one moment; unless something was overtaken meanwhile. */
  finishCount(nowMs: number): void {
    if (this.#phase === "counting") this.#phase = "counted";
    this.#isActive = false;
    this.#countedAtMs = nowMs;
    for (const uid of this.#removed) this.#gone.add(uid);
    this.#removed.clear();
  }

  /** What we think is stored may be something else: everything is counted anew before anything is decided. */
  invalidate(): void {
    this.#phase = "uncounted";
  }

  /** How many rounds in a row ended with a count that does not hold; to be called at the end of each. */
  endRound(): number {
    this.#failedRounds = this.isCounted ? 0 : this.#failedRounds + 1;
    return this.#failedRounds;
  }

  // Claims.

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

  /** Whether a claim waits to be decided. One that was found not to be valid waits for something else to change first. */
  get hasPending(): boolean {
    for (const { claim } of this.#open.values()) if (claim.answer.state === "pending") return true;
    return false;
  }

  /** How many things were learned of claims, or written about them. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether any page still says that something is promised to this claim. */
  hasWritten(uid: string): boolean {
    for (const { page } of this.#pages.values()) {
      if (page.content.reservations.some(({ claim }) => claim.uid === uid)) return true;
    }
    return false;
  }

  /** Takes in a claim as it was seen, in whatever order and however often. Whether it was news. */
  observe(place: ObjectPlace, record: ClaimRecord): boolean {
    const isNews = this.learn(record.uid, knowledgeIn(record));
    if (this.ledger.knowledgeOf(record.uid)?.state !== "pending" || record.open === undefined) return isNews;
    const known = this.#open.get(record.uid)?.claim.metadata.resourceVersion ?? "";
    if (isOlder(record.version, known)) return isNews;
    this.#open.set(record.uid, { place, claim: record.open, open: openClaimOf(record.open, "waiting") });
    return true;
  }

  /** Takes in what has become of a claim. Whether it was news. */
  learn(uid: string, knowledge: ClaimKnowledge): boolean {
    const isNews = this.ledger.learn(uid, knowledge);
    this.#changes += 1;
    this.#isActive ||= isNews;
    if (this.ledger.knowledgeOf(uid)?.state === "pending") return isNews;
    this.#open.delete(uid);
    this.fences.drop(uid);
    return isNews;
  }

  /** A claim is gone, and nobody will hear of it any more. */
  gone(uid: string): void {
    this.learn(uid, { state: "gone" });
    this.#removed.delete(uid);
    this.#gone.add(uid);
  }

  /** A claim was removed by a transaction; the view hears of it later. */
  removed(uid: string): void {
    this.learn(uid, { state: "gone" });
    this.#removed.add(uid);
  }

  /** A claim that was never stored. */
  neverStored(uid: string): void {
    this.learn(uid, { state: "gone" });
    this.ledger.forget([uid]);
  }

  /** Remembers which of these were found to be gone, to forget them in time. */
  noteGone(uids: Iterable<string>): void {
    for (const uid of uids) if (this.ledger.knowledgeOf(uid)?.state === "gone") this.#gone.add(uid);
  }

  /** Forgets claims that are gone. Only while nothing is on its way that could still speak of them. */
  forgetGone(): void {
    this.ledger.forget(this.#gone);
    this.#gone.clear();
  }

  // Grants.

  /** How many things were learned of grants. */
  get grantChanges(): number {
    return this.#grantChanges;
  }

  setGrant(id: string, grant: ResourceGrant): void {
    this.#grants.set(id, grant);
    this.#grantChanges += 1;
  }

  dropGrant(id: string): void {
    if (this.#grants.delete(id)) this.#grantChanges += 1;
  }

  /** Something else has changed that may let grants count, or not. */
  reviewGrants(): void {
    this.#grantChanges += 1;
  }

  /** Until when the grants give what they give, if nothing changes. */
  get capacityUntilMs(): number {
    return this.#capacityUntilMs;
  }

  /** Takes over what the grants give by now, where that may have changed. */
  countGrants(view: RegistrationView, nowMs: number): void {
    if (this.#countedGrantChanges === this.#grantChanges && nowMs < this.#capacityUntilMs) return;
    this.#countedGrantChanges = this.#grantChanges;
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

  /** Whether a grant names a resource type, whether it counts or not. */
  isGranted(type: string): boolean {
    return [...this.#grants.values()].some(({ allowances }) => allowances.some((each) => each.resourceType === type));
  }

  // Pages.

  get pages(): ReadonlyMap<string, StoredPage> {
    return this.#pages;
  }

  /** Resource types whose pages matter: somebody has, holds or wants them, or there is a page. */
  types(): ReadonlySet<string> {
    const held = [...this.ledger.typeLedgers].filter((book) => book.claimCount > 0).map((book) => book.resourceType);
    const wanted = [...this.#open.values()].flatMap(({ open }) => resourceTypesOf(open));
    return new Set([...this.#activeTypes, ...held, ...wanted, ...this.#pages.keys(), ...this.#seen]);
  }

  /** There is a page of this type, or was, and somebody else may have written it. */
  sawPage(type: string): void {
    this.#seen.add(type);
    this.invalidate();
  }

  /** What is shown of a type beside its page; nothing, when there is no page. */
  shownBook(type: string): TypeLedger | undefined {
    return this.#pages.has(type) ? this.ledger.ofType(type) : undefined;
  }

  /** Whether a page has to be there, whoever else wants it or not. */
  isUsed(type: string): boolean {
    return this.#activeTypes.has(type) || this.ledger.ofType(type).claimCount > 0;
  }

  /** Whether everything that is granted or held has a page. */
  get hasUsedPages(): boolean {
    const isThere = (type: string): boolean => this.#pages.has(type);
    return (
      [...this.#activeTypes].every(isThere) &&
      [...this.ledger.typeLedgers].every((book) => book.claimCount === 0 || isThere(book.resourceType))
    );
  }

  /** Whether any grant or claim names a resource type. */
  isNamed(type: string): boolean {
    if (this.isUsed(type) || this.isGranted(type)) return true;
    return [...this.#open.values()].some(({ open }) => resourceTypesOf(open).includes(type));
  }

  /** Takes over a page as it was read. If somebody else has written it, it is no fence any more. */
  putPage(type: string, page: StoredPage): void {
    if (this.#pages.get(type)?.page.version !== page.page.version) this.fences.lower(type);
    this.#pages.set(type, page);
  }

  dropPage(type: string): void {
    this.#pages.delete(type);
    this.#seen.delete(type);
    this.fences.lower(type);
  }

  /** Takes over a page as we wrote it: no swap that was prepared before can succeed on it. */
  wrotePage(type: string, page: StoredPage): void {
    this.#changes += 1;
    this.#pages.set(type, page);
    this.fences.raise(type);
  }

  // What can wait to be written.

  /** Since when something waits to be written that can wait for company. */
  get foldSinceMs(): number | undefined {
    return this.#foldSinceMs;
  }

  /** Notes whether something waits, and since when. */
  noteFold(isWaiting: boolean, nowMs: number): void {
    this.#foldSinceMs = isWaiting ? (this.#foldSinceMs ?? nowMs) : undefined;
  }

  /** Whether nothing is left to keep in mind. */
  get isIdle(): boolean {
    const isNothingKnown = this.#open.size === 0 && this.#grants.size === 0 && this.ledger.claimCount === 0;
    return isNothingKnown && this.#pages.size === 0 && this.#seen.size === 0;
  }
}

function knowledgeIn({ state, deleting, parts }: ClaimRecord): ClaimKnowledge {
  return state === "granted" ? { state, parts } : state === "pending" ? { state, deleting } : { state };
}
