import { resourceTypesOf } from "../../core/ledger/ledger-bucket.ts";
import { dropReservations, recover } from "../../core/ledger/recover.ts";
import type { FailureCollector } from "../failure-collector.ts";
import type { BucketWrites } from "./buckets/bucket-writes.ts";
import type { ClaimStatusWriter } from "./claims/claim-status-writer.ts";
import type { ConsumerState, OpenEntry } from "./consumer-state.ts";
import type { WriterDeps } from "./writer-deps.ts";

interface Context {
  readonly deps: WriterDeps;
  readonly statuses: ClaimStatusWriter;
  readonly writes: BucketWrites;
  readonly failures: FailureCollector;
}

/**
 * Completes or drops reservations that an earlier attempt left behind, ours or another writer's. Returns the attempts that
 * no writer can complete any more; the next bucket write removes them.
 */
export async function recoverAll(
  state: ConsumerState,
  context: Context,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const dropped = new Set<string>();
  const open = [...state.open];
  if (open.length === 0) return dropped;
  const reserved = reservedClaims(state);
  for (const entry of open.filter(({ open: { claim } }) => reserved.has(claim.uid))) {
    if (!state.isCounted) return new Set();
    await recoverOne(state, entry, { ...context, dropped }, signal);
  }
  return state.isCounted ? dropped : new Set();
}

/** UIDs of the claims with a reservation in any bucket. */
function reservedClaims(state: ConsumerState): ReadonlySet<string> {
  const uids = new Set<string>();
  for (const bucket of state.buckets.values()) {
    for (const { claim } of bucket.content.reservations) uids.add(claim.uid);
  }
  return uids;
}

async function recoverOne(
  state: ConsumerState,
  entry: OpenEntry,
  context: Context & { readonly dropped: Set<string> },
  signal: AbortSignal,
): Promise<void> {
  const { open } = entry;
  const { statuses, writes, deps, failures, dropped } = context;
  const next = recover(open, state.buckets, state.fences.of(open.claim.uid));
  switch (next.step) {
    case "settle":
      state.fences.drop(open.claim.uid);
      break;
    case "commit":
      // If its status cannot be written, the claim keeps its reservation and delays no other claim.
      await failures.collect(statuses.commit(open.claim.uid));
      break;
    case "fence":
      for (const type of next.buckets) await writes.fence(type);
      // Continue right away: our own bucket writes do not requeue the consumer.
      if (state.isCounted) await recoverOne(state, entry, context, signal);
      break;
    case "drop":
      if (!(await areUnchanged(state, resourceTypesOf(open), deps, signal))) break;
      for (const attempt of next.attempts) dropped.add(attempt);
      dropReservations(state.ledger, open);
      // The fences are against attempts that began before them; the next attempt may be our own.
      state.fences.drop(open.claim.uid);
      break;
    default:
      throw new Error(`unknown step ${next satisfies never}`);
  }
}

/** Reads buckets again; if another writer changed one, the state has to be recounted. */
export async function areUnchanged(
  state: ConsumerState,
  types: readonly string[],
  { buckets }: WriterDeps,
  signal: AbortSignal,
): Promise<boolean> {
  for (const type of types) {
    const bucket = await buckets.read(state.key, type, signal);
    if (bucket?.version !== state.buckets.get(type)?.version) state.invalidate();
  }
  return state.isCounted;
}
