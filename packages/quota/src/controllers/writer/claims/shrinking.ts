import type { FailureCollector } from "../../failure-collector.ts";
import type { ConsumerState, Shrink } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import { shrunkStatus } from "./claim-status.ts";
import { shrinkContext } from "./display-context.ts";

/** Lowers the allocations of granted claims whose object needs less. Their buckets follow when the claim cache shows it. */
export async function shrinkAll(
  state: ConsumerState,
  deps: WriterDeps,
  failures: FailureCollector,
  signal: AbortSignal,
): Promise<void> {
  const shrinkAndForget = async (uid: string, shrink: Shrink): Promise<void> => {
    if (!(await shrinkOne(uid, shrink, deps, signal))) return;
    if (state.shrinks.get(uid) === shrink) state.shrinks.delete(uid);
  };
  for (const [uid, shrink] of [...state.shrinks]) await failures.collect(shrinkAndForget(uid, shrink));
}

/** Returns whether there is nothing left to do. */
async function shrinkOne(uid: string, { key, parts }: Shrink, deps: WriterDeps, signal: AbortSignal): Promise<boolean> {
  const { claims, leadership } = deps;
  const claim = await claims.find(key, signal);
  if (claim === undefined || claim.metadata.uid !== uid) return true;
  const status = shrunkStatus(claim, parts, shrinkContext(deps));
  if (status === undefined) return true;
  leadership.fence();
  const { outcome } = await claims.write(key, { claim, status }, signal);
  return outcome !== "differs";
}
