// A model of the bucket writer that runs step by step: every call to the store is a yield, so that a test can interleave
// other writers, lose the response, or drop the writer.
import { ConsumerLedger } from "../../src/core/ledger/consumer-ledger.ts";
import {
  type BucketContent,
  type LedgerBucket,
  type OpenClaim,
  resourceTypesOf,
} from "../../src/core/ledger/ledger-bucket.ts";
import { noCapacity, type Pool } from "../../src/core/ledger/pools.ts";
import { dropReservations, recover } from "../../src/core/ledger/recover.ts";
import { adoptBucket, type Changes, contentOf, isCurrent, noChanges } from "../../src/core/ledger/rewrite.ts";
import { fits, settle } from "../../src/core/ledger/settle.ts";
import type { Amount } from "../../src/core/resources/fields/amount.ts";
import type { ClaimEvent, ModelStore, StoredClaim, StoreView } from "./model-store.ts";

/** Deliberate mistakes, which the invariants must detect. */
export const mutations = [
  "commit what only some buckets accepted",
  "drop without a fence",
  "one id for every attempt",
  "read the first bucket only",
  "count from a cache older than the bucket",
  "count by adding to the stored figures",
  "deny from outdated knowledge",
  "forget reservations that look old",
  "assume a swap succeeded when its response is lost",
  "leave the limit as it was",
  "write unchanged content",
] as const;

/** Mistakes that random runs do not detect; dedicated scenarios do. */
export type RareMutation =
  | "fence one bucket only"
  | "keep a fence that another writer has broken"
  | "keep the fences of what was dropped";
export type Mutation = (typeof mutations)[number] | RareMutation | "none";

export type Call = (store: ModelStore) => unknown;
const lost = Symbol("the response was lost");
export const responseLost: unknown = lost;

type Step<Result> = Generator<Call, Result, unknown>;

interface Known {
  readonly claim: StoredClaim;
  /** The step of the writer at which it was first observed. */
  readonly observedAt: number;
}

export class ModelWriter {
  readonly name: string;
  readonly #types: readonly string[];
  readonly #mutation: Mutation;
  readonly #ledger = new ConsumerLedger();
  readonly #buckets = new Map<string, LedgerBucket>();
  readonly #pools = new Map<string, readonly Pool[]>();
  readonly #open = new Map<string, Known>();
  readonly #fenced = new Map<string, Set<string>>();
  /** The latest observed version of each claim. */
  readonly #versions = new Map<string, number>();
  #oldView: StoreView | undefined;
  /** The version of the latest list. */
  #listed = 0;
  #poolsVersion = 0;
  #steps = 0;
  #counted = 0;
  #writes = 0;
  #isDirty = true;
  #attempts = 0;

  constructor(name: string, types: readonly string[], mutation: Mutation) {
    this.name = name;
    this.#types = types;
    this.#mutation = mutation;
  }

  /** Handles a watch event, possibly a late one. */
  observe({ uid, claim }: ClaimEvent): void {
    if (claim === undefined) {
      this.#ledger.learn(uid, { state: "gone" });
      this.#open.delete(uid);
    } else if (claim.version > this.#listed || this.#ledger.knowledgeOf(uid) !== undefined) {
      // A watch starts at the version of its list: claims deleted before the list never appear after it.
      this.#meet(claim);
    }
  }

  *run(): Step<never> {
    for (;;) {
      yield* this.#recount();
      for (let batches = 0; batches < 4 && !this.#isDirty; batches += 1) {
        yield* this.#batch();
        yield () => undefined;
      }
    }
  }

  *#call<Result>(call: (store: ModelStore) => Result): Step<Result | typeof lost> {
    this.#steps += 1;
    return (yield call) as Result | typeof lost;
  }

  /** Reads until a response arrives. */
  *#read<Result>(call: (store: ModelStore) => Result): Step<Result> {
    for (;;) {
      const result = yield* this.#call(call);
      if (result !== lost) return result;
    }
  }

  *#recount(): Step<void> {
    this.#isDirty = false;
    this.#counted = this.#steps;
    const poolsVersion = yield* this.#read((store) => store.poolsVersion);
    for (const type of this.#types) {
      const bucket = yield* this.#read((store) => store.bucket(type));
      if (bucket.version !== this.#buckets.get(type)?.version) this.#breakFences(type);
      this.#buckets.set(type, bucket);
    }
    const fresh = yield* this.#read((store) => store.view());
    const view = this.#mutation === "count from a cache older than the bucket" ? (this.#oldView ?? fresh) : fresh;
    this.#oldView = fresh;
    if (fresh.poolsVersion !== poolsVersion) this.#isDirty = true;
    this.#poolsVersion = fresh.poolsVersion;
    this.#take(view);
    for (const bucket of this.#buckets.values()) adoptBucket(this.#ledger, bucket, "complete");
  }

  #breakFences(type: string): void {
    if (this.#mutation === "keep a fence that another writer has broken") return;
    for (const fenced of this.#fenced.values()) fenced.delete(type);
  }

  #toFence(buckets: readonly string[]): readonly string[] {
    return this.#mutation === "fence one bucket only" ? buckets.slice(0, 1) : buckets;
  }

  /** The buckets of a claim that count as fenced. */
  #fencesOf({ claim }: OpenClaim): ReadonlySet<string> {
    const fenced = this.#fenced.get(claim.uid) ?? new Set<string>();
    this.#fenced.set(claim.uid, fenced);
    const isEnough = this.#mutation === "fence one bucket only" && fenced.size > 0;
    return isEnough || this.#mutation === "drop without a fence" ? new Set(this.#types) : fenced;
  }

  #take(view: StoreView): void {
    for (const type of this.#types) this.#setPools(type, view.pools.get(type) ?? []);
    this.#listed = view.version;
    const present = new Set(view.claims.map((claim) => claim.open.claim.uid));
    for (const uid of [...this.#ledger.claims]) {
      const isYounger = (this.#versions.get(uid) ?? 0) > view.version;
      if (!present.has(uid) && !isYounger) this.observe({ uid, claim: undefined });
    }
    for (const claim of view.claims) this.#meet(claim);
  }

  #setPools(type: string, pools: readonly Pool[]): void {
    this.#pools.set(type, pools);
    this.#ledger.setCapacity(type, { ...noCapacity, pools });
  }

  #meet(claim: StoredClaim): void {
    const { uid } = claim.open.claim;
    const { state, deleting, open } = claim;
    this.#versions.set(uid, Math.max(claim.version, this.#versions.get(uid) ?? 0));
    this.#ledger.learn(
      uid,
      state === "granted" ? { state, parts: open.parts } : state === "pending" ? { state, deleting } : { state },
    );
    const isOpen = this.#ledger.knowledgeOf(uid)?.state === "pending";
    const before = this.#open.get(uid);
    if (!isOpen) this.#open.delete(uid);
    else if (before === undefined || before.claim.version < claim.version) {
      this.#open.set(uid, { claim, observedAt: before?.observedAt ?? this.#steps });
    }
  }

  *#batch(): Step<void> {
    const dropped = yield* this.#recoverAll();
    if (this.#isDirty) return;
    const claims = [...this.#open.values()].map(({ claim }) => claim.open);
    const decisions = settle(this.#ledger, claims, () => this.#newAttempt());
    if (!(yield* this.#swapAll({ decisions, dropped, expirationTime: "later" }))) return;
    for (const decision of decisions)
      if (decision.outcome === "reserve") yield* this.#decide(decision.claim, "granted");
    const denials = decisions.filter((decision) => decision.outcome === "deny");
    if (denials.length > 0 && (yield* this.#areGrantsUnchanged())) {
      for (const { claim } of denials) if (this.#isDeniable(claim)) yield* this.#decide(claim, "denied");
    }
  }

  /** Buckets and grants must be consistent: a grant that is raised between reading both would make room that neither shows. */
  *#areGrantsUnchanged(): Step<boolean> {
    if (this.#mutation === "deny from outdated knowledge") return true;
    if ((yield* this.#read((store) => store.poolsVersion)) !== this.#poolsVersion) this.#isDirty = true;
    return !this.#isDirty;
  }

  #newAttempt(): string {
    this.#attempts += 1;
    return this.#mutation === "one id for every attempt" ? "attempt" : `${this.name}-${this.#attempts}`;
  }

  *#recoverAll(): Step<ReadonlySet<string>> {
    const dropped = new Set<string>();
    for (const { claim } of [...this.#open.values()]) {
      if (this.#isDirty) return dropped;
      const step = recover(this.#mutated(claim.open), this.#buckets, this.#fencesOf(claim.open));
      switch (step.step) {
        case "settle":
          this.#fenced.delete(claim.open.claim.uid);
          break;
        case "commit":
          yield* this.#decide(claim.open, "granted");
          break;
        case "fence":
          for (const type of this.#toFence(step.buckets)) yield* this.#swap(type, noChanges);
          break;
        case "drop":
          if (!(yield* this.#areUnchanged(claim.open))) break;
          for (const attempt of step.attempts) dropped.add(attempt);
          dropReservations(this.#ledger, claim.open);
          if (this.#mutation !== "keep the fences of what was dropped") this.#fenced.delete(claim.open.claim.uid);
          break;
        default:
          throw new Error(`unknown step ${step satisfies never}`);
      }
    }
    return dropped;
  }

  #mutated(open: OpenClaim): OpenClaim {
    return this.#mutation === "read the first bucket only" ? { ...open, parts: open.parts.slice(0, 1) } : open;
  }

  /** Reads the buckets of a claim again; if another writer changed one, the count starts over. */
  *#areUnchanged(claim: OpenClaim): Step<boolean> {
    for (const type of resourceTypesOf(claim)) {
      const bucket = yield* this.#read((store) => store.bucket(type));
      if (bucket.version !== this.#buckets.get(type)?.version) this.#isDirty = true;
    }
    return !this.#isDirty;
  }

  /** Writes every bucket whose content changed. Returns false at the first conflict. */
  *#swapAll(changes: Changes): Step<boolean> {
    let isWhole = true;
    for (const type of this.#types) {
      const bucket = this.#bucket(type);
      const isIdle = isCurrent(bucket, this.#content(bucket, changes));
      if (isIdle && this.#mutation !== "write unchanged content") continue;
      isWhole = (yield* this.#swap(type, changes)) && isWhole;
      if (!isWhole && this.#mutation !== "commit what only some buckets accepted") return false;
    }
    return true;
  }

  *#swap(type: string, changes: Changes): Step<boolean> {
    const base = this.#bucket(type);
    const content = this.#content(base, changes);
    const pools = this.#pools.get(type) ?? [];
    this.#writes += 1;
    const stamp = `${this.name}.${this.#writes}`;
    const response = yield* this.#call((store) => store.swapBucket(base, content, stamp, pools));
    const bucket = response === lost ? yield* this.#afterLostSwap(type, stamp) : response;
    if (bucket === undefined) {
      this.#isDirty = true;
      return false;
    }
    this.#buckets.set(type, bucket);
    for (const fenced of this.#fenced.values()) fenced.add(type);
    return true;
  }

  *#afterLostSwap(type: string, stamp: string): Step<LedgerBucket | undefined> {
    const bucket = yield* this.#read((store) => store.bucket(type));
    return bucket.writer === stamp || this.#mutation === "assume a swap succeeded when its response is lost"
      ? bucket
      : undefined;
  }

  #content(bucket: LedgerBucket, changes: Changes): BucketContent {
    const content = contentOf(this.#ledger, bucket, changes);
    if (this.#mutation === "forget reservations that look old") {
      const fresh = content.reservations.filter(
        (each) => !bucket.content.reservations.some((old) => old.attempt === each.attempt),
      );
      const reserved = fresh.reduce((sum, each) => sum + each.amount, 0n) as Amount;
      return { ...content, reservations: fresh, figures: { ...content.figures, reserved } };
    }
    if (this.#mutation === "leave the limit as it was" && bucket.version !== undefined) {
      return { ...content, figures: { ...content.figures, limit: bucket.content.figures.limit } };
    }
    if (this.#mutation === "count by adding to the stored figures") {
      const folded = bucket.content.reservations.filter(
        (old) => this.#ledger.knowledgeOf(old.claim.uid)?.state === "granted",
      );
      const allocated = folded.reduce(
        (sum, each) => sum + each.amount,
        bucket.content.figures.allocated as bigint,
      ) as Amount;
      return { ...content, figures: { ...content.figures, allocated } };
    }
    return content;
  }

  /** A denial requires a count after the claim was observed, and that it still does not fit. */
  #isDeniable(claim: OpenClaim): boolean {
    const known = this.#open.get(claim.claim.uid);
    if (known === undefined) return false;
    if (this.#mutation === "deny from outdated knowledge") return true;
    if (known.observedAt >= this.#counted) this.#isDirty = true;
    return known.observedAt < this.#counted && !fits(this.#ledger, claim);
  }

  *#decide({ claim }: OpenClaim, state: "granted" | "denied"): Step<void> {
    for (;;) {
      const known = this.#open.get(claim.uid);
      if (known === undefined) return;
      const { version } = known.claim;
      yield* this.#call((store) => store.decide(claim.uid, version, state));
      const current = yield* this.#read((store) => store.claims.get(claim.uid));
      this.observe({ uid: claim.uid, claim: current });
    }
  }

  #bucket(type: string): LedgerBucket {
    const bucket = this.#buckets.get(type);
    if (bucket === undefined) throw new Error(`${type} was not read`);
    return bucket;
  }
}
