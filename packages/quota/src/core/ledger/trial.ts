import type { ClaimPart } from "./claim-knowledge.ts";
import { byBook } from "./consumer-ledger.ts";
import type { Holding, PageBook, PromisedParts } from "./page-book.ts";
import { type ShortPart, tryAll } from "./settle.ts";

/**
 * What would not fit of claims that nobody has made, claim by claim: each is decided as a whole, beside those before it
 * that fit. Afterwards the books are as they were.
 */
export function tryClaims(
  claims: readonly (readonly ClaimPart[])[],
  bookOf: (resourceType: string) => PageBook,
): readonly (readonly ShortPart[])[] {
  const held: (readonly [PageBook, readonly Holding[]])[] = [];
  // One after the other to the end: a slot that nobody refers to is forgotten, and must not be referred to again.
  const short = claims.map((parts, at) => {
    const groups = byBook(parts.map((part) => bookOf(part.resourceType).holding(part.dimensionKey, part.amount)));
    const wanted = [...groups].map(([book, holdings]) => [book, wantedFor(at, holdings)] as const);
    const missing = asAskedFor(parts, tryAll(new Map(wanted)));
    if (missing.length > 0) return missing;
    for (const [book, holdings] of groups) {
      book.hold(uidOf(at), holdings);
      held.push([book, holdings]);
    }
    return missing;
  });
  for (const [book, holdings] of held) book.release(holdings);
  return short;
}

function wantedFor(at: number, holdings: readonly Holding[]): PromisedParts {
  return { uid: uidOf(at), holdings, bytes: 0 };
}

/** Answers name what is short in the order in which it was asked for, whichever page it is on. */
function asAskedFor(parts: readonly ClaimPart[], short: readonly ShortPart[]): readonly ShortPart[] {
  if (short.length < 2) return short;
  const position = ({ part: { resourceType, dimensionKey } }: ShortPart): number =>
    parts.findIndex((part) => part.resourceType === resourceType && part.dimensionKey === dimensionKey);
  return [...short].sort((one, other) => position(one) - position(other));
}

/** No claim has such a UID. */
function uidOf(at: number): string {
  return `trial-${at}`;
}
