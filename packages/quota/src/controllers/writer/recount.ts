import { resourceTypesOf } from "../../core/ledger/ledger-bucket.ts";
import { adoptBucket } from "../../core/ledger/rewrite.ts";
import type { StoredBucket } from "./buckets/stored-bucket.ts";
import { isValid } from "./claims/claim-validation.ts";
import type { ConsumerState } from "./consumer-state.ts";
import type { WriterDeps } from "./writer-deps.ts";

/**
 * Reads all buckets of a consumer, and then waits until the claim and grant caches are at least as recent. From then on the
 * state contains every claim that a bucket counts, and a reservation of an unknown claim is known to be stale. Missing
 * buckets are created before anything is counted in them.
 */
export async function recount(state: ConsumerState, deps: WriterDeps, signal: AbortSignal): Promise<void> {
  const { runtime, views, registrations } = deps;
  deps.leadership.fence();
  state.beginCount();
  state.countGrants(registrations, runtime.clock.now());
  const needed = neededTypes(state, deps);
  const read = await Promise.all(
    [...state.types()].map(async (type) => [type, await openBucket(state, type, { deps, needed }, signal)] as const),
  );
  await Promise.all([views.claims.waitUntilFresh(signal), views.grants.waitUntilFresh(signal)]);
  state.countGrants(registrations, runtime.clock.now());
  for (const [type, bucket] of read) {
    if (bucket === undefined) state.dropBucket(type);
    else state.putBucket(type, bucket);
  }
  for (const [type, bucket] of state.buckets) {
    adoptBucket(state.ledger, bucket, "complete");
    state.noteGone(bucket.content.reservations.map(({ claim }) => claim.uid));
    deps.figures.onFiguresChanged({ ...state.key, resourceType: type }, () => state.shownLedger(type));
  }
  state.finishCount(runtime.elapsedMs());
  deps.observer.onRecount?.();
}

/** Types that are granted or held, or requested by a valid or a denied claim. */
function neededTypes(state: ConsumerState, deps: WriterDeps): ReadonlySet<string> {
  const types = new Set([...state.types()].filter((type) => state.isUsed(type) || state.isDenied(type)));
  for (const entry of state.open) {
    if (isValid(entry.claim, deps.registrations)) for (const type of resourceTypesOf(entry.open)) types.add(type);
  }
  return types;
}

async function openBucket(
  state: ConsumerState,
  type: string,
  { deps: { buckets }, needed }: { readonly deps: WriterDeps; readonly needed: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<StoredBucket | undefined> {
  const bucket = await buckets.read(state.key, type, signal);
  return bucket ?? (needed.has(type) ? buckets.create(state.key, type, signal) : undefined);
}
