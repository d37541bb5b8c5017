import type { Deferred } from "../all-of.ts";
import type { ConsumerState, Shrink } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import { shrunkStatus } from "./claim-status.ts";

/** Lowers what granted claims hold, where their object needs less than before. The page follows when we hear of it. */
export async function shrinkAll(
  state: ConsumerState,
  deps: WriterDeps,
  failures: Deferred,
  signal: AbortSignal,
): Promise<void> {
  const shrinkIt = async (uid: string, shrink: Shrink): Promise<void> => {
    if (!(await shrinkOne(uid, shrink, deps, signal))) return;
    if (state.shrinks.get(uid) === shrink) state.shrinks.delete(uid);
  };
  for (const [uid, shrink] of [...state.shrinks]) await failures.of(shrinkIt(uid, shrink));
}

/** Whether there is nothing more to do. */
async function shrinkOne(
  uid: string,
  { place, parts }: Shrink,
  { claims, leadership }: WriterDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const claim = await claims.find(place, signal);
  if (claim === undefined || claim.metadata.uid !== uid) return true;
  const status = shrunkStatus(claim, parts);
  if (status === undefined) return true;
  leadership.fence();
  const { outcome } = await claims.write(place, { claim, status }, signal);
  return outcome !== "differs";
}
