import type { ConsumerLedger } from "./consumer-ledger.ts";
import { type OpenClaim, type Page, pagesOf, type Reservation } from "./page.ts";

export type Recovery =
  /** Nothing is promised to the claim: it can be settled. */
  | { readonly step: "settle" }
  /** One attempt got onto every page: keep the promise. */
  | { readonly step: "commit"; readonly set: string }
  /** An attempt got onto some pages. Whoever made it may still be at it: write these pages anew first, and read them. */
  | { readonly step: "fence"; readonly pages: readonly string[] }
  /** Nobody can complete these attempts any more. */
  | { readonly step: "drop"; readonly sets: readonly string[] };

/**
 * What to do about promises to a pending claim that an earlier attempt left behind, ours or another writer's. `fenced`
 * names the pages that we have written since we first saw them, and that nobody else has written after us: a swap that
 * was prepared before cannot succeed on these.
 */
export function recover(claim: OpenClaim, pages: ReadonlyMap<string, Page>, fenced: ReadonlySet<string>): Recovery {
  const own = [...pages.values()].flatMap((page) => ownReservations(page, claim));
  const sets = [...new Set(own.map((reservation) => reservation.set))];
  if (sets.length === 0) return { step: "settle" };
  const complete = sets.find((set) => isComplete(claim, set, pages));
  if (complete !== undefined) return { step: "commit", set: complete };
  const open = pagesOf(claim).filter((resourceType) => !fenced.has(resourceType));
  return open.length > 0 ? { step: "fence", pages: open } : { step: "drop", sets };
}

/** Whether every part of the claim is promised under this set: one page missing, and none of it counts. */
export function isComplete(claim: OpenClaim, set: string, pages: ReadonlyMap<string, Page>): boolean {
  return claim.parts.every(({ resourceType, dimensionKey, amount }) => {
    const page = pages.get(resourceType);
    return page?.content.reservations.some(
      (reservation) =>
        reservation.claim.uid === claim.claim.uid &&
        reservation.set === set &&
        reservation.dimensionKey === dimensionKey &&
        reservation.amount === amount,
    );
  });
}

/** Takes dropped promises out of the books; the pages lose them with their next write. */
export function dropPromises(ledger: ConsumerLedger, claim: OpenClaim): void {
  for (const resourceType of pagesOf(claim)) ledger.book(resourceType).withdraw(claim.claim.uid);
}

function ownReservations(page: Page, { claim }: OpenClaim): readonly Reservation[] {
  return page.content.reservations.filter((reservation) => reservation.claim.uid === claim.uid);
}
