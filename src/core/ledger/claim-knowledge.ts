import type { Amount } from "../resources/amount.ts";

/** A part of a claim: so much of a resource type, with these dimensions. */
export interface ClaimPart {
  readonly resourceType: string;
  /** Always the canonical key of the dimensions, whatever the claim says. */
  readonly dimensionKey: string;
  readonly amount: Amount;
}

/** What can be known of one claim, that is of one UID. */
export type ClaimKnowledge =
  | { readonly state: "pending"; readonly deleting: boolean }
  | { readonly state: "denied" }
  | { readonly state: "granted"; readonly parts: readonly ClaimPart[] }
  | { readonly state: "gone" };

/**
 * Pending comes before a decision, a decision before the end; nothing goes back. We never decide twice; should somebody
 * edit a status by hand, granted outweighs denied, because counting too much is the safe side.
 */
const rank = { pending: 0, denied: 1, granted: 2, gone: 3 } as const;

/**
 * Puts together what was known and what was learned, in whatever order answers and events arrive. A granted claim may
 * come to hold less, never more.
 */
export function mergeKnowledge(known: ClaimKnowledge, learned: ClaimKnowledge): ClaimKnowledge {
  if (rank[learned.state] > rank[known.state]) return learned;
  if (rank[learned.state] < rank[known.state]) return known;
  if (known.state === "pending" && learned.state === "pending") return known.deleting ? known : learned;
  if (known.state === "granted" && learned.state === "granted")
    return holdsLess(learned.parts, known.parts) ? learned : known;
  if (known.state !== learned.state) {
    throw new Error(`a claim was ${known.state} and cannot become ${learned.state}: decisions are final`);
  }
  return known;
}

/** Whether a claim holds less than it did: no part more, some part less or missing. */
function holdsLess(now: readonly ClaimPart[], before: readonly ClaimPart[]): boolean {
  const amounts = new Map(now.map((part) => [partKey(part), part.amount]));
  return before.some((part) => part.amount > (amounts.get(partKey(part)) ?? 0n));
}

function partKey({ resourceType, dimensionKey }: ClaimPart): string {
  return `${resourceType} ${dimensionKey}`;
}
