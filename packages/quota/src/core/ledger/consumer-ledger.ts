import { type ClaimKnowledge, type ClaimPart, mergeKnowledge } from "./claim-knowledge.ts";
import { type Holding, PageBook } from "./page-book.ts";
import type { Capacity } from "./pools.ts";

/**
 * What is kept of a claim. Nearly all claims are granted and have one part, so that is one small object; the words are
 * for those in passing.
 */
type Kept = "pending" | "deleting" | "denied" | "gone" | Holding | readonly Holding[];

/**
 * What is known of one consumer: every claim, in a few words each, and a book for each resource type. The sums
 * in the books always equal the claims: they change only where a claim does.
 */
export class ConsumerLedger {
  readonly #claims = new Map<string, Kept>();
  readonly #books = new Map<string, PageBook>();

  get claimCount(): number {
    return this.#claims.size;
  }

  get books(): Iterable<PageBook> {
    return this.#books.values();
  }

  book(resourceType: string): PageBook {
    const existing = this.#books.get(resourceType);
    if (existing !== undefined) return existing;
    const book = new PageBook(resourceType);
    this.#books.set(resourceType, book);
    return book;
  }

  /** Takes over what the Active grants of the consumer give of a resource type. */
  setCapacity(resourceType: string, capacity: Capacity): void {
    this.book(resourceType).setCapacity(capacity);
  }

  /** Undefined when nothing was ever heard of the claim. */
  knowledgeOf(uid: string): ClaimKnowledge | undefined {
    const kept = this.#claims.get(uid);
    return kept === undefined ? undefined : knowledgeFrom(kept);
  }

  /** Learns something of a claim, in any order and as often as one likes. Whether it was news. */
  learn(uid: string, learned: ClaimKnowledge): boolean {
    const kept = this.#claims.get(uid);
    const known = kept === undefined ? undefined : knowledgeFrom(kept);
    const merged = known === undefined ? learned : mergeKnowledge(known, learned);
    if (merged === known) return false;
    if (kept !== undefined && typeof kept === "object") this.#release(holdingsOf(kept));
    this.#claims.set(uid, merged.state === "granted" ? this.#hold(uid, merged.parts) : keptFrom(merged));
    if (merged.state !== "pending") for (const book of this.#books.values()) book.withdraw(uid);
    return true;
  }

  /**
   * Forgets claims that are gone and denied. Only when no answer that could speak of them is still under way: what is
   * not known to be gone can be learned anew.
   */
  forget(uids: Iterable<string>): void {
    for (const uid of uids) {
      const kept = this.#claims.get(uid);
      if (kept === "gone" || kept === "denied") this.#claims.delete(uid);
    }
  }

  /** Claims of which something is known, by UID. */
  get claims(): Iterable<string> {
    return this.#claims.keys();
  }

  /** The parts of a claim on a page, as holdings of its slots. */
  holdings(parts: readonly ClaimPart[]): readonly Holding[] {
    return parts.map((part) => this.book(part.resourceType).holding(part.dimensionKey, part.amount));
  }

  #hold(uid: string, parts: readonly ClaimPart[]): Kept {
    const holdings = this.holdings(parts);
    for (const [book, own] of byBook(holdings)) book.hold(uid, own);
    const [only] = holdings;
    return holdings.length === 1 && only !== undefined ? only : holdings;
  }

  #release(holdings: readonly Holding[]): void {
    for (const [book, own] of byBook(holdings)) book.release(own);
  }
}

/** Holdings by the book they are in. */
export function byBook(holdings: readonly Holding[]): ReadonlyMap<PageBook, readonly Holding[]> {
  const groups = new Map<PageBook, Holding[]>();
  for (const holding of holdings) {
    const group = groups.get(holding.slot.book);
    if (group === undefined) groups.set(holding.slot.book, [holding]);
    else group.push(holding);
  }
  return groups;
}

function holdingsOf(kept: Holding | readonly Holding[]): readonly Holding[] {
  return "slot" in kept ? [kept] : kept;
}

function keptFrom(knowledge: Exclude<ClaimKnowledge, { state: "granted" }>): Kept {
  return knowledge.state === "pending" && knowledge.deleting ? "deleting" : knowledge.state;
}

function knowledgeFrom(kept: Kept): ClaimKnowledge {
  switch (kept) {
    case "pending":
    case "deleting":
      return { state: "pending", deleting: kept === "deleting" };
    case "denied":
    case "gone":
      return { state: kept };
    default:
      return { state: "granted", parts: holdingsOf(kept).map(partFrom) };
  }
}

function partFrom({ slot, amount }: Holding): ClaimPart {
  return { resourceType: slot.book.resourceType, dimensionKey: slot.dimensionKey, amount };
}
