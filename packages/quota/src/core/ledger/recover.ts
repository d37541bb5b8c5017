import type { ConsumerLedger } from "./consumer-ledger.ts";
import { type LedgerBucket, type OpenClaim, type Reservation, resourceTypesOf } from "./ledger-bucket.ts";

export type Recovery =
  /** The claim has no reservation: it can be settled. */
  | { readonly step: "settle" }
  /** One attempt is in every bucket of the claim: grant it. */
  | { readonly step: "commit"; readonly attempt: string }
  /** An attempt is in some buckets only, and its writer may still be running: rewrite these buckets first, and read them. */
  | { readonly step: "fence"; readonly buckets: readonly string[] }
  /** Every bucket is fenced, so no writer can complete these attempts. */
  | { readonly step: "drop"; readonly attempts: readonly string[] };

/**
 * What to do about reservations of a pending claim that an earlier attempt left behind, ours or another writer's. `fenced`
 * names the buckets that this writer has written since it first read them and that no other writer has changed since: a
 * swap that was prepared before conflicts on these.
 */
export function recover(
  claim: OpenClaim,
  buckets: ReadonlyMap<string, LedgerBucket>,
  fenced: ReadonlySet<string>,
): Recovery {
  const own = [...buckets.values()].flatMap((bucket) => ownReservations(bucket, claim));
  const attempts = [...new Set(own.map((reservation) => reservation.attempt))];
  if (attempts.length === 0) return { step: "settle" };
  const complete = attempts.find((attempt) => isComplete(claim, attempt, buckets));
  if (complete !== undefined) return { step: "commit", attempt: complete };
  const open = resourceTypesOf(claim).filter((resourceType) => !fenced.has(resourceType));
  return open.length > 0 ? { step: "fence", buckets: open } : { step: "drop", attempts };
}

/** Whether every part of the claim is reserved under this attempt; if one is missing, none of them counts. */
export function isComplete(claim: OpenClaim, attempt: string, buckets: ReadonlyMap<string, LedgerBucket>): boolean {
  return claim.parts.every(({ resourceType, dimensionKey, amount }) => {
    const bucket = buckets.get(resourceType);
    return bucket?.content.reservations.some(
      (reservation) =>
        reservation.claim.uid === claim.claim.uid &&
        reservation.attempt === attempt &&
        reservation.dimensionKey === dimensionKey &&
        reservation.amount === amount,
    );
  });
}

/** Removes the claim's reservations from the type ledgers; the buckets lose them with their next write. */
export function dropReservations(ledger: ConsumerLedger, claim: OpenClaim): void {
  for (const resourceType of resourceTypesOf(claim)) ledger.ofType(resourceType).withdraw(claim.claim.uid);
}

function ownReservations(bucket: LedgerBucket, { claim }: OpenClaim): readonly Reservation[] {
  return bucket.content.reservations.filter((reservation) => reservation.claim.uid === claim.uid);
}
