// A writer as the protocol wants it, one step at a time: every call of the store is a yield, so that a test can let other
// things happen in between, lose the answer, or drop the writer for good.
import { ConsumerLedger } from "../../src/core/ledger/consumer-ledger.ts";
import { type OpenClaim, type Page, type PageContent, pagesOf } from "../../src/core/ledger/page.ts";
import { noCapacity, type Pool } from "../../src/core/ledger/pools.ts";
import { dropPromises, recover } from "../../src/core/ledger/recover.ts";
import { adoptPage, type Changes, contentOf, isCurrent, noChanges } from "../../src/core/ledger/rewrite.ts";
import { fits, settle } from "../../src/core/ledger/settle.ts";
import type { Amount } from "../../src/core/resources/fields/amount.ts";
import type { ClaimEvent, ModelStore, StoredClaim, StoreView } from "./model-store.ts";

/** Something left out or done wrong on purpose, to see that it is noticed. */
export const mutations = [
  "commit what only some pages accepted",
  "drop without a fence",
  "one set for every attempt",
  "look at the first page only",
  "count from a view older than the page",
  "count by adding to what the page said",
  "deny from what was known before",
  "forget promises that look old",
  "take the page for swapped when the answer is lost",
  "leave the limit as it was",
  "write what the page says already",
] as const;

/** Mistakes so rare to matter that chance does not find them; scenarios of their own do. */
export type RareMutation =
  | "fence one page only"
  | "keep a fence that somebody else has broken"
  | "keep the fences of what was dropped";
export type Mutation = (typeof mutations)[number] | RareMutation | "none";

export type Call = (store: ModelStore) => unknown;
const lost = Symbol("the answer was lost");
export const answerLost: unknown = lost;

type Step<Result> = Generator<Call, Result, unknown>;

interface Known {
  readonly claim: StoredClaim;
  /** When it was first seen, by the writer's own count of steps. */
  readonly seen: number;
}

export class ModelWriter {
  readonly name: string;
  readonly #types: readonly string[];
  readonly #mutation: Mutation;
  readonly #ledger = new ConsumerLedger();
  readonly #pages = new Map<string, Page>();
  readonly #pools = new Map<string, readonly Pool[]>();
  readonly #open = new Map<string, Known>();
  readonly #fenced = new Map<string, Set<string>>();
  /** The newest version of each claim that was heard of. */
  readonly #versions = new Map<string, number>();
  #oldView: StoreView | undefined;
  /** Up to which version the latest list told everything. */
  #listed = 0;
  #poolsVersion = 0;
  #steps = 0;
  #counted = 0;
  #writes = 0;
  #isDirty = true;
  #sets = 0;

  constructor(name: string, types: readonly string[], mutation: Mutation) {
    this.name = name;
    this.#types = types;
    this.#mutation = mutation;
  }

  /** What a watch tells, late or not. */
  observe({ uid, claim }: ClaimEvent): void {
    if (claim === undefined) {
      this.#ledger.learn(uid, { state: "gone" });
      this.#open.delete(uid);
    } else if (claim.version > this.#listed || this.#ledger.knowledgeOf(uid) !== undefined) {
      // A watch begins where its list ended: a claim that was deleted before the list never comes after it.
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

  /** Reads until an answer gets through. */
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
      const page = yield* this.#read((store) => store.page(type));
      if (page.version !== this.#pages.get(type)?.version) this.#breakFences(type);
      this.#pages.set(type, page);
    }
    const fresh = yield* this.#read((store) => store.view());
    const view = this.#mutation === "count from a view older than the page" ? (this.#oldView ?? fresh) : fresh;
    this.#oldView = fresh;
    if (fresh.poolsVersion !== poolsVersion) this.#isDirty = true;
    this.#poolsVersion = fresh.poolsVersion;
    this.#take(view);
    for (const page of this.#pages.values()) adoptPage(this.#ledger, page, "complete");
  }

  #breakFences(type: string): void {
    if (this.#mutation === "keep a fence that somebody else has broken") return;
    for (const fenced of this.#fenced.values()) fenced.delete(type);
  }

  #toFence(pages: readonly string[]): readonly string[] {
    return this.#mutation === "fence one page only" ? pages.slice(0, 1) : pages;
  }

  /** The pages of a claim that count as fenced. */
  #fencesOf({ claim }: OpenClaim): ReadonlySet<string> {
    const fenced = this.#fenced.get(claim.uid) ?? new Set<string>();
    this.#fenced.set(claim.uid, fenced);
    const isEnough = this.#mutation === "fence one page only" && fenced.size > 0;
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
      this.#open.set(uid, { claim, seen: before?.seen ?? this.#steps });
    }
  }

  *#batch(): Step<void> {
    const dropped = yield* this.#recoverAll();
    if (this.#isDirty) return;
    const claims = [...this.#open.values()].map(({ claim }) => claim.open);
    const decisions = settle(this.#ledger, claims, () => this.#newSet());
    if (!(yield* this.#swapAll({ decisions, dropped, expirationTime: "later" }))) return;
    for (const decision of decisions)
      if (decision.outcome === "reserve") yield* this.#decide(decision.claim, "granted");
    const denials = decisions.filter((decision) => decision.outcome === "deny");
    if (denials.length > 0 && (yield* this.#areGrantsUnchanged())) {
      for (const { claim } of denials) if (this.#isDeniable(claim)) yield* this.#decide(claim, "denied");
    }
  }

  /**
   * Page and grants must be known as of one moment: a grant raised between reading the one and the other would make room
   * that neither shows.
   */
  *#areGrantsUnchanged(): Step<boolean> {
    if (this.#mutation === "deny from what was known before") return true;
    if ((yield* this.#read((store) => store.poolsVersion)) !== this.#poolsVersion) this.#isDirty = true;
    return !this.#isDirty;
  }

  #newSet(): string {
    this.#sets += 1;
    return this.#mutation === "one set for every attempt" ? "set" : `${this.name}-${this.#sets}`;
  }

  *#recoverAll(): Step<ReadonlySet<string>> {
    const dropped = new Set<string>();
    for (const { claim } of [...this.#open.values()]) {
      if (this.#isDirty) return dropped;
      const step = recover(this.#seenBy(claim.open), this.#pages, this.#fencesOf(claim.open));
      switch (step.step) {
        case "settle":
          this.#fenced.delete(claim.open.claim.uid);
          break;
        case "commit":
          yield* this.#decide(claim.open, "granted");
          break;
        case "fence":
          for (const type of this.#toFence(step.pages)) yield* this.#swap(type, noChanges);
          break;
        case "drop":
          if (!(yield* this.#areUnchanged(claim.open))) break;
          for (const set of step.sets) dropped.add(set);
          dropPromises(this.#ledger, claim.open);
          if (this.#mutation !== "keep the fences of what was dropped") this.#fenced.delete(claim.open.claim.uid);
          break;
        default:
          throw new Error(`unknown step ${step satisfies never}`);
      }
    }
    return dropped;
  }

  #seenBy(open: OpenClaim): OpenClaim {
    return this.#mutation === "look at the first page only" ? { ...open, parts: open.parts.slice(0, 1) } : open;
  }

  /** Reads the pages of a claim again; another writer's hand on one of them means starting over. */
  *#areUnchanged(claim: OpenClaim): Step<boolean> {
    for (const type of pagesOf(claim)) {
      const page = yield* this.#read((store) => store.page(type));
      if (page.version !== this.#pages.get(type)?.version) this.#isDirty = true;
    }
    return !this.#isDirty;
  }

  /** Writes every page that has something new to say. False after the first that somebody else has written. */
  *#swapAll(changes: Changes): Step<boolean> {
    let isWhole = true;
    for (const type of this.#types) {
      const page = this.#page(type);
      const isIdle = isCurrent(page, this.#content(page, changes));
      if (isIdle && this.#mutation !== "write what the page says already") continue;
      isWhole = (yield* this.#swap(type, changes)) && isWhole;
      if (!isWhole && this.#mutation !== "commit what only some pages accepted") return false;
    }
    return true;
  }

  *#swap(type: string, changes: Changes): Step<boolean> {
    const base = this.#page(type);
    const content = this.#content(base, changes);
    const pools = this.#pools.get(type) ?? [];
    this.#writes += 1;
    const stamp = `${this.name}.${this.#writes}`;
    const answer = yield* this.#call((store) => store.swapPage(base, content, stamp, pools));
    const page = answer === lost ? yield* this.#afterLostSwap(type, stamp) : answer;
    if (page === undefined) {
      this.#isDirty = true;
      return false;
    }
    this.#pages.set(type, page);
    for (const fenced of this.#fenced.values()) fenced.add(type);
    return true;
  }

  *#afterLostSwap(type: string, stamp: string): Step<Page | undefined> {
    const page = yield* this.#read((store) => store.page(type));
    return page.writer === stamp || this.#mutation === "take the page for swapped when the answer is lost"
      ? page
      : undefined;
  }

  #content(page: Page, changes: Changes): PageContent {
    const content = contentOf(this.#ledger, page, changes);
    if (this.#mutation === "forget promises that look old") {
      const fresh = content.reservations.filter(
        (each) => !page.content.reservations.some((old) => old.set === each.set),
      );
      const reserved = fresh.reduce((sum, each) => sum + each.amount, 0n) as Amount;
      return { ...content, reservations: fresh, figures: { ...content.figures, reserved } };
    }
    if (this.#mutation === "leave the limit as it was" && page.version !== undefined) {
      return { ...content, figures: { ...content.figures, limit: page.content.figures.limit } };
    }
    if (this.#mutation === "count by adding to what the page said") {
      const folded = page.content.reservations.filter(
        (old) => this.#ledger.knowledgeOf(old.claim.uid)?.state === "granted",
      );
      const allocated = folded.reduce(
        (sum, each) => sum + each.amount,
        page.content.figures.allocated as bigint,
      ) as Amount;
      return { ...content, figures: { ...content.figures, allocated } };
    }
    return content;
  }

  /** A denial stands only on what was read after the claim was seen, and only while it still does not fit. */
  #isDeniable(claim: OpenClaim): boolean {
    const known = this.#open.get(claim.claim.uid);
    if (known === undefined) return false;
    if (this.#mutation === "deny from what was known before") return true;
    if (known.seen >= this.#counted) this.#isDirty = true;
    return known.seen < this.#counted && !fits(this.#ledger, claim);
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

  #page(type: string): Page {
    const page = this.#pages.get(type);
    if (page === undefined) throw new Error(`${type} was not read`);
    return page;
  }
}
