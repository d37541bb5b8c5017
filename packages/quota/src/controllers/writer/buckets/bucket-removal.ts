import type { ConsumerState } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import type { StoredBucket } from "./stored-bucket.ts";

/**
 * Removes buckets that no grant and no claim names any more. A bucket with reservations stays; so does one that a user
 * deleted while it is in use, until it is not, or until its whole namespace is being deleted. Returns whether another
 * client changed a bucket first, so that the consumer has to be reconciled again.
 */
export async function removeUnusedBuckets(
  state: ConsumerState,
  deps: WriterDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const { buckets, leadership, figures } = deps;
  if (!state.isCounted) return false;
  let isOvertaken = false;
  for (const [type, bucket] of [...state.buckets]) {
    if (bucket.content.reservations.length > 0 || (!bucket.deleting && state.isNamed(type))) continue;
    if (!(await isUnneeded(state, type, { bucket, deps }, signal))) continue;
    leadership.fence();
    state.invalidate(); // another client may keep the bucket, or create it again
    if (!(await buckets.remove(state.key, bucket, signal))) {
      isOvertaken = true; // the bucket stays in the state: the event of that other write may have arrived already
      continue;
    }
    state.dropBucket(type);
    figures.onFiguresChanged({ ...state.key, resourceType: type }, () => state.shownLedger(type));
  }
  return isOvertaken;
}

async function isUnneeded(
  state: ConsumerState,
  type: string,
  { bucket, deps }: { readonly bucket: StoredBucket; readonly deps: WriterDeps },
  signal: AbortSignal,
): Promise<boolean> {
  if (!state.isNamed(type)) return true;
  return bucket.deleting && (await deps.buckets.isNamespaceTerminating(state.key, signal));
}
