import { type ClaimKnowledge, type ClaimPart, mergeKnowledge } from "./claim-knowledge.ts";
import type { Capacity } from "./pools.ts";
import { type Holding, TypeLedger } from "./type-ledger.ts";

/**
 * The compact form of a claim. Nearly all claims are granted and have one part, so that is one small object; the other
 * states are strings.
 */
type Kept = "pending" | "deleting" | "denied" | "gone" | Holding | readonly Holding[];

/**
 * The claims of one consumer, in a compact form, and a ledger for each resource type. The sums in the type ledgers always
 * equal the claims: they change only where a claim does.
 */
export class ConsumerLedger {
  readonly #claims = new Map<string, Kept>();
  readonly #typeLedgers = new Map<string, TypeLedger>();

  get claimCount(): number {
    return this.#claims.size;
  }

  get typeLedgers(): Iterable<TypeLedger> {
    return this.#typeLedgers.values();
  }

  ofType(resourceType: string): TypeLedger {
    const existing = this.#typeLedgers.get(resourceType);
    if (existing !== undefined) return existing;
    const typeLedger = new TypeLedger(resourceType);
    this.#typeLedgers.set(resourceType, typeLedger);
    return typeLedger;
  }

  /** Sets the capacity of a resource type: the sum of the consumer's Active grants. */
  setCapacity(resourceType: string, capacity: Capacity): void {
    this.ofType(resourceType).setCapacity(capacity);
  }

  /** Undefined for a claim that was never observed. */
  knowledgeOf(uid: string): ClaimKnowledge | undefined {
    const kept = this.#claims.get(uid);
    return kept === undefined ? undefined : knowledgeFrom(kept);
  }

  /** Merges an observation of a claim; order and repetition do not matter. Returns whether it changed anything. */
  learn(uid: string, learned: ClaimKnowledge): boolean {
    const kept = this.#claims.get(uid);
    const known = kept === undefined ? undefined : knowledgeFrom(kept);
    const merged = known === undefined ? learned : mergeKnowledge(known, learned);
    if (merged === known) return false;
    if (kept !== undefined && typeof kept === "object") this.#release(holdingsOf(kept));
    this.#claims.set(uid, merged.state === "granted" ? this.#hold(uid, merged.parts) : keptFrom(merged));
    if (merged.state !== "pending") for (const typeLedger of this.#typeLedgers.values()) typeLedger.withdraw(uid);
    return true;
  }

  /**
   * Forgets claims that are gone or denied. Call it only while no response that mentions them is in flight: a late one
   * would add the claim again.
   */
  forget(uids: Iterable<string>): void {
    for (const uid of uids) {
      const kept = this.#claims.get(uid);
      if (kept === "gone" || kept === "denied") this.#claims.delete(uid);
    }
  }

  /** UIDs of all known claims. */
  get claims(): Iterable<string> {
    return this.#claims.keys();
  }

  /** The parts of a claim as holdings of their slots. */
  holdings(parts: readonly ClaimPart[]): readonly Holding[] {
    return parts.map((part) => this.ofType(part.resourceType).holding(part.dimensionKey, part.amount));
  }

  #hold(uid: string, parts: readonly ClaimPart[]): Kept {
    const holdings = this.holdings(parts);
    for (const [typeLedger, own] of byTypeLedger(holdings)) typeLedger.hold(uid, own);
    const [only] = holdings;
    return holdings.length === 1 && only !== undefined ? only : holdings;
  }

  #release(holdings: readonly Holding[]): void {
    for (const [typeLedger, own] of byTypeLedger(holdings)) typeLedger.release(own);
  }
}

/** Holdings grouped by their type ledger. */
export function byTypeLedger(holdings: readonly Holding[]): ReadonlyMap<TypeLedger, readonly Holding[]> {
  const groups = new Map<TypeLedger, Holding[]>();
  for (const holding of holdings) {
    const group = groups.get(holding.slot.ledger);
    if (group === undefined) groups.set(holding.slot.ledger, [holding]);
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
  return { resourceType: slot.ledger.resourceType, dimensionKey: slot.dimensionKey, amount };
}
