import type { Amount } from "../resources/fields/amount.ts";
import { least } from "./arithmetic.ts";

/** A part of a claim: so much of a resource type, with these dimensions. */
export interface ClaimPart {
  readonly resourceType: string;
  /** Always the canonical key of the dimensions, whatever the claim says. */
  readonly dimensionKey: string;
  readonly amount: Amount;
}

/** The state of one claim, that is of one UID, as far as it was observed. */
export type ClaimKnowledge =
  | { readonly state: "pending"; readonly deleting: boolean }
  | { readonly state: "denied" }
  | { readonly state: "granted"; readonly parts: readonly ClaimPart[] }
  | { readonly state: "gone" };

/**
 * States only move forward: pending, decided, gone. A claim is never decided twice; if a status is edited by hand, granted
 * outranks denied, because counting too much is the safe side.
 */
const rank = { pending: 0, denied: 1, granted: 2, gone: 3 } as const;

/**
 * Merges a new observation into the known state, in whatever order responses and events arrive. A granted claim may shrink,
 * never grow.
 */
export function mergeKnowledge(known: ClaimKnowledge, learned: ClaimKnowledge): ClaimKnowledge {
  if (rank[learned.state] > rank[known.state]) return learned;
  if (rank[learned.state] < rank[known.state]) return known;
  if (known.state === "pending" && learned.state === "pending") return known.deleting ? known : learned;
  if (known.state === "granted" && learned.state === "granted") return leastHeld(known, learned.parts);
  return known;
}

/** Part by part the smaller amount; a part that one of the two does not have is gone. */
function leastHeld(known: Extract<ClaimKnowledge, { state: "granted" }>, parts: readonly ClaimPart[]): ClaimKnowledge {
  const learned = new Map(parts.map((part) => [partKey(part), part.amount]));
  const held = known.parts.flatMap((part) => {
    const amount = learned.get(partKey(part));
    return amount === undefined ? [] : [{ ...part, amount: least(part.amount, amount) }];
  });
  const isSame =
    held.length === known.parts.length && held.every(({ amount }, at) => amount === known.parts[at]?.amount);
  return isSame ? known : { state: "granted", parts: held };
}

function partKey({ resourceType, dimensionKey }: ClaimPart): string {
  return `${resourceType} ${dimensionKey}`;
}
