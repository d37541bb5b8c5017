import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";

/** Whether a claim holds, for the same objects, what it held before. That it was bound to one of them changes nothing in that. */
export function holdsTheSame(before: ClaimRecord | undefined, now: ClaimRecord): boolean {
  return (
    before?.uid === now.uid &&
    before.state === now.state &&
    before.deleting === now.deleting &&
    isForTheSame(before.automatic, now.automatic) &&
    isSameList(before.parts.map(partText), now.parts.map(partText))
  );
}

function isForTheSame(before: AutomaticClaim | undefined, now: AutomaticClaim | undefined): boolean {
  const isListed = ({ candidates, bound }: AutomaticClaim): boolean =>
    bound === undefined || candidates.includes(bound);
  if (before === undefined || now === undefined || before.policy !== now.policy) return false;
  return isSameList(before.candidates, now.candidates) && isListed(before) && isListed(now);
}

function partText({ resourceType, dimensionKey, amount }: ClaimPart): string {
  return `${resourceType}\n${dimensionKey}\n${amount}`;
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at]);
}
