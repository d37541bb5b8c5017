import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";

/** Whether a claim holds the same parts for the same objects as before. Binding it to one of its candidates does not matter. */
export function isHoldingUnchanged(before: ClaimRecord | undefined, now: ClaimRecord): boolean {
  return (
    before?.uid === now.uid &&
    before.state === now.state &&
    before.deleting === now.deleting &&
    hasSameCandidates(before.automatic, now.automatic) &&
    isSameList(before.parts.map(partText), now.parts.map(partText))
  );
}

function hasSameCandidates(before: AutomaticClaim | undefined, now: AutomaticClaim | undefined): boolean {
  const isBoundToCandidate = ({ candidates, bound }: AutomaticClaim): boolean =>
    bound === undefined || candidates.includes(bound);
  if (before === undefined || now === undefined || before.policy !== now.policy) return false;
  return isSameList(before.candidates, now.candidates) && isBoundToCandidate(before) && isBoundToCandidate(now);
}

function partText({ resourceType, dimensionKey, amount }: ClaimPart): string {
  return `${resourceType}\n${dimensionKey}\n${amount}`;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}
