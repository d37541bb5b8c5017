import type { ClaimPart } from "./claim-knowledge.ts";
import { byTypeLedger } from "./consumer-ledger.ts";
import { type ShortPart, tryAll } from "./settle.ts";
import type { Holding, ReservedParts, TypeLedger } from "./type-ledger.ts";

/**
 * Tries hypothetical claims and returns what would not fit, claim by claim: each is decided as a whole, on top of those
 * before it that fit. Afterwards the type ledgers are rolled back.
 */
export function tryClaims(
  claims: readonly (readonly ClaimPart[])[],
  typeLedgerOf: (resourceType: string) => TypeLedger,
): readonly (readonly ShortPart[])[] {
  const held: (readonly [TypeLedger, readonly Holding[]])[] = [];
  // One claim at a time: an unused slot is removed from the ledger, and must not be referenced again.
  const short = claims.map((parts, at) => {
    const groups = byTypeLedger(
      parts.map((part) => typeLedgerOf(part.resourceType).holding(part.dimensionKey, part.amount)),
    );
    const wanted = [...groups].map(([typeLedger, holdings]) => [typeLedger, wantedFor(at, holdings)] as const);
    const missing = inRequestOrder(parts, tryAll(new Map(wanted)));
    if (missing.length > 0) return missing;
    for (const [typeLedger, holdings] of groups) {
      typeLedger.hold(uidOf(at), holdings);
      held.push([typeLedger, holdings]);
    }
    return missing;
  });
  for (const [typeLedger, holdings] of held) typeLedger.release(holdings);
  return short;
}

function wantedFor(at: number, holdings: readonly Holding[]): ReservedParts {
  return { uid: uidOf(at), holdings, bytes: 0 };
}

/** Sorts shortages by the order of the requests instead of by bucket. */
function inRequestOrder(parts: readonly ClaimPart[], short: readonly ShortPart[]): readonly ShortPart[] {
  if (short.length < 2) return short;
  const position = ({ part: { resourceType, dimensionKey } }: ShortPart): number =>
    parts.findIndex((part) => part.resourceType === resourceType && part.dimensionKey === dimensionKey);
  return [...short].sort((one, other) => position(one) - position(other));
}

/** Does not look like a UID, so that it cannot collide with a stored claim. */
function uidOf(at: number): string {
  return `trial-${at}`;
}
