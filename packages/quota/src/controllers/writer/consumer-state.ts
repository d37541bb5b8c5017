import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
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
import type { StoredBucket } from "./buckets/stored-bucket.ts";
import { Fences } from "./fences.ts";
import { Turns } from "./transactions/turns.ts";

/** A consumer in a control plane. */
export interface ConsumerKey {
  readonly plane: string;
  readonly consumer: ConsumerRef;
}

export function consumerId({ plane, consumer }: ConsumerKey): string {
  return `${plane}\n${consumerKey(consumer)}`;
}

/** A claim that is not decided yet. */
export interface OpenEntry {
  readonly key: PlaneObjectKey;
  readonly claim: ResourceClaim;
  readonly open: OpenClaim;
}

/** A claim whose allocations are to be lowered to these parts. */
export interface Shrink {
  readonly key: PlaneObjectKey;
  readonly parts: readonly ClaimPart[];
}

/**
 * Whether the buckets were read, and the claims counted, since another client may have written a bucket. Claims are decided
 * only while `counted`; a foreign write during a count ends it as `uncounted`.
 */
type Phase = "uncounted" | "counting" | "counted";

/** All that the bucket writer knows of one consumer in one control plane: claims, grants and buckets. Does no I/O. */
export class ConsumerState {
  readonly key: ConsumerKey;
  readonly id: string;
  readonly ledger = new ConsumerLedger();
  readonly fences = new Fences();
  /** Reconciles of the writer and transactions of the store take turns. */
  readonly turns: Turns;
  /** Requested shrinks by claim UID. */
  readonly shrinks = new Map<string, Shrink>();
  readonly #buckets = new Map<string, StoredBucket>();
  readonly #open = new Map<string, OpenEntry>();
  /** The resource types of denied claims that exist: they keep their buckets, so that people see the limit. */
  readonly #denied = new Map<string, readonly string[]>();
  readonly #grants = new Map<string, ResourceGrant>();
  /** Claims that are gone, and can be forgotten once no response in flight can mention them. */
  readonly #gone = new Set<string>();
  /** Claims that transactions removed. The claim cache may still deliver events about them. */
  readonly #removed = new Set<string>();
  /** Types whose bucket was observed by the informer. */
  readonly #observedTypes = new Set<string>();
  #phase: Phase = "uncounted";
  #countedAtMs = 0;
  #isActive = false;
  #changes = 0;
  #grantChanges = 0;
  #countedGrantChanges = -1;
  #activeTypes: ReadonlySet<string> = new Set();
  #capacityUntilMs = Number.POSITIVE_INFINITY;
  #deferredSinceMs: number | undefined;
  #failedReconciles = 0;

  constructor(key: ConsumerKey, turns = new Turns()) {
    this.key = key;
    this.turns = turns;
    this.id = consumerId(key);
  }

  // Counting

  get isCounted(): boolean {
    return this.#phase === "counted";
  }

  /** When the last recount ended. */
  get countedAtMs(): number {
    return this.#countedAtMs;
  }

  /** Whether a claim has changed since then. */
  get isActive(): boolean {
    return this.#isActive;
  }

  beginCount(): void {
    this.#phase = "counting";
  }

  /** Buckets, claims and grants are consistent now, unless the state was invalidated meanwhile. */
  finishCount(nowMs: number): void {
    if (this.#phase === "counting") this.#phase = "counted";
    this.#isActive = false;
    this.#countedAtMs = nowMs;
    for (const uid of this.#removed) this.#gone.add(uid);
    this.#removed.clear();
  }

  /** The stored buckets may differ from this state: a recount has to precede the next decision. */
  invalidate(): void {
    this.#phase = "uncounted";
  }

  /** Call at the end of each reconcile. Returns how many in a row ended without a valid count. */
  endReconcile(): number {
    this.#failedReconciles = this.isCounted ? 0 : this.#failedReconciles + 1;
    return this.#failedReconciles;
  }

  // Claims

  /** Undecided claims in the order of their arrival. */
  get open(): Iterable<OpenEntry> {
    return this.#open.values();
  }

  get openCount(): number {
    return this.#open.size;
  }

  entry(uid: string): OpenEntry | undefined {
    return this.#open.get(uid);
  }

  /** Whether a claim can be decided. An invalid one is open, but has to be changed first, or its registration. */
  get hasPending(): boolean {
    for (const { claim } of this.#open.values()) if (claim.decision.state === "pending") return true;
    return false;
  }

  /** Counts everything that was learned or written about claims; equal values mean no change in between. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether any stored bucket has a reservation for this claim. */
  hasReservation(uid: string): boolean {
    for (const bucket of this.#buckets.values()) {
      if (bucket.content.reservations.some(({ claim }) => claim.uid === uid)) return true;
    }
    return false;
  }

  /** Merges a claim from the cache; order and repetition do not matter. Returns whether it changed anything. */
  observe(key: PlaneObjectKey, record: ClaimRecord): boolean {
    const hasChanged = this.learn(record.uid, knowledgeIn(record));
    if (record.state === "denied") this.#noteDenied(record.uid, record.parts);
    if (this.ledger.knowledgeOf(record.uid)?.state !== "pending" || record.open === undefined) return hasChanged;
    const known = this.#open.get(record.uid)?.claim.metadata.resourceVersion ?? "";
    if (isOlder(record.version, known)) return hasChanged;
    this.#open.set(record.uid, { key, claim: record.open, open: openClaimOf(record.open, false) });
    return true;
  }

  /** Merges a new state of a claim. Returns whether it changed anything. */
  learn(uid: string, knowledge: ClaimKnowledge): boolean {
    const hasChanged = this.ledger.learn(uid, knowledge);
    this.#changes += 1;
    this.#isActive ||= hasChanged;
    if (this.ledger.knowledgeOf(uid)?.state === "pending") return hasChanged;
    const open = this.#open.get(uid)?.open;
    this.#open.delete(uid);
    this.fences.drop(uid);
    if (knowledge.state === "denied") this.#noteDenied(uid, open?.parts ?? []);
    else this.#denied.delete(uid);
    return hasChanged;
  }

  #noteDenied(uid: string, parts: readonly ClaimPart[]): void {
    if (parts.length === 0 || this.ledger.knowledgeOf(uid)?.state !== "denied") return;
    this.#denied.set(uid, [...new Set(parts.map(({ resourceType }) => resourceType))]);
  }

  /** The claim is gone, and the cache will deliver no more events about it. */
  markGone(uid: string): void {
    this.learn(uid, { state: "gone" });
    this.#removed.delete(uid);
    this.#gone.add(uid);
  }

  /** A transaction removed the claim; the cache shows it later. */
  markRemoved(uid: string): void {
    this.learn(uid, { state: "gone" });
    this.#removed.add(uid);
  }

  /** The transaction that would have stored the claim was rolled back. */
  markNeverStored(uid: string): void {
    this.learn(uid, { state: "gone" });
    this.ledger.forget([uid]);
  }

  /** Schedules those of these claims that are gone to be forgotten. */
  noteGone(uids: Iterable<string>): void {
    for (const uid of uids) if (this.ledger.knowledgeOf(uid)?.state === "gone") this.#gone.add(uid);
  }

  /** Forgets claims that are gone. Call it only while no response that mentions them is in flight. */
  forgetGone(): void {
    this.ledger.forget(this.#gone);
    this.#gone.clear();
  }

  // Grants

  /** Counts changes to grants; equal values mean no change in between. */
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

  /** A registration changed, which may activate or deactivate grants. */
  reviewGrants(): void {
    this.#grantChanges += 1;
  }

  /** When the next grant expires. */
  get capacityUntilMs(): number {
    return this.#capacityUntilMs;
  }

  /** Recomputes the capacity if grants changed or expired. Hot: called for every decision, and usually returns at once. */
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

  /** Whether a grant names a resource type, active or not. */
  isGranted(type: string): boolean {
    return [...this.#grants.values()].some(({ allowances }) => allowances.some((each) => each.resourceType === type));
  }

  // Buckets

  get buckets(): ReadonlyMap<string, StoredBucket> {
    return this.#buckets;
  }

  /** Resource types that are granted, held or requested, or have a bucket. */
  types(): ReadonlySet<string> {
    const held = [...this.ledger.typeLedgers]
      .filter(({ claimCount }) => claimCount > 0)
      .map(({ resourceType }) => resourceType);
    const requested = [...this.#open.values()].flatMap(({ open }) => resourceTypesOf(open));
    const denied = [...this.#denied.values()].flat();
    const stored = [...this.#buckets.keys(), ...this.#observedTypes];
    return new Set([...this.#activeTypes, ...held, ...requested, ...denied, ...stored]);
  }

  /** The informer showed a write or deletion of this bucket that is not ours. */
  observeBucket(type: string): void {
    this.#observedTypes.add(type);
    this.invalidate();
  }

  /** The ledger that figures are derived from; undefined without a bucket. */
  shownLedger(type: string): TypeLedger | undefined {
    return this.#buckets.has(type) ? this.ledger.ofType(type) : undefined;
  }

  /** Whether a type needs a bucket because it is granted or held, even if no open claim requests it. */
  isUsed(type: string): boolean {
    return this.#activeTypes.has(type) || this.ledger.ofType(type).claimCount > 0;
  }

  /** Whether every type that is granted or held has a bucket. */
  get hasUsedBuckets(): boolean {
    const hasBucket = (type: string): boolean => this.#buckets.has(type);
    return (
      [...this.#activeTypes].every(hasBucket) &&
      [...this.ledger.typeLedgers].every(({ claimCount, resourceType }) => claimCount === 0 || hasBucket(resourceType))
    );
  }

  /** Whether a denied claim requests a resource type. */
  isDenied(type: string): boolean {
    for (const types of this.#denied.values()) if (types.includes(type)) return true;
    return false;
  }

  /** Whether any grant or claim names a resource type. */
  isNamed(type: string): boolean {
    if (this.isUsed(type) || this.isGranted(type) || this.isDenied(type)) return true;
    return [...this.#open.values()].some(({ open }) => resourceTypesOf(open).includes(type));
  }

  /** Stores a bucket that was read. If another client has written it, it is no fence any more. */
  putBucket(type: string, bucket: StoredBucket): void {
    if (this.#buckets.get(type)?.version !== bucket.version) this.fences.lower(type);
    this.#buckets.set(type, bucket);
  }

  dropBucket(type: string): void {
    this.#buckets.delete(type);
    this.#observedTypes.delete(type);
    this.fences.lower(type);
  }

  /** Stores a bucket that we wrote: any swap that was prepared before will conflict. */
  bucketWritten(type: string, bucket: StoredBucket): void {
    this.#changes += 1;
    this.#buckets.set(type, bucket);
    this.fences.raise(type);
  }

  // Deferred writes

  /** Since when a bucket write has been deferred. */
  get deferredSinceMs(): number | undefined {
    return this.#deferredSinceMs;
  }

  noteDeferred(isDeferred: boolean, nowMs: number): void {
    this.#deferredSinceMs = isDeferred ? (this.#deferredSinceMs ?? nowMs) : undefined;
  }

  /** Whether the state is empty and can be dropped. */
  get isIdle(): boolean {
    const isEmpty =
      this.#open.size === 0 && this.#denied.size === 0 && this.#grants.size === 0 && this.ledger.claimCount === 0;
    return isEmpty && this.#buckets.size === 0 && this.#observedTypes.size === 0;
  }
}

function knowledgeIn({ state, deleting, parts }: ClaimRecord): ClaimKnowledge {
  return state === "granted" ? { state, parts } : state === "pending" ? { state, deleting } : { state };
}
