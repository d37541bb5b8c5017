import { type OpenClaim, resourceTypesOf } from "../../../core/ledger/ledger-bucket.ts";
import { shortParts } from "../../../core/ledger/settle.ts";
import { awaitAll } from "../../await-all.ts";
import type { FailureCollector } from "../../failure-collector.ts";
import type { ConsumerState } from "../consumer-state.ts";
import { areUnchanged } from "../recovery.ts";
import type { WriterDeps } from "../writer-deps.ts";
import type { ClaimStatusWriter } from "./claim-status-writer.ts";
import { isValid } from "./claim-validation.ts";

interface Context {
  readonly deps: WriterDeps;
  readonly statuses: ClaimStatusWriter;
  readonly failures: FailureCollector;
  /** Types whose buckets were just written, which proves that no other writer changed them. */
  readonly swapped: ReadonlySet<string>;
}

/**
 * Denies claims that did not fit, but only if they still do not at one point in time after they were observed: buckets,
 * claims and grants are refreshed first, and the grants must not change meanwhile. Returns whether a claim may fit now.
 */
export async function denyAll(
  state: ConsumerState,
  denials: readonly OpenClaim[],
  { deps, statuses, failures, swapped }: Context,
  signal: AbortSignal,
): Promise<boolean> {
  const { views } = deps;
  await Promise.all([views.grants.waitUntilFresh(signal), views.registrations.waitUntilFresh(signal)]);
  const { grantChanges } = state;
  const types = new Set(denials.flatMap(resourceTypesOf).filter((type) => !swapped.has(type)));
  if (!(await areUnchanged(state, [...types], deps, signal))) return true;
  await views.claims.waitUntilFresh(signal);
  const short = shortages(state, denials, deps);
  await views.grants.waitUntilFresh(signal);
  if (state.grantChanges !== grantChanges || !state.isCounted) return true;
  const denied = short.filter(({ parts }) => parts.length > 0);
  await failures.collect(awaitAll(denied.map(({ uid, parts }) => statuses.deny(uid, parts))));
  return denied.length < denials.length;
}

function shortages(state: ConsumerState, denials: readonly OpenClaim[], { registrations, runtime }: WriterDeps) {
  state.countGrants(registrations, runtime.clock.now());
  return denials.flatMap((claim) => {
    const { uid } = claim.claim;
    const entry = state.entry(uid);
    const parts = shortParts(state.ledger, claim);
    if (entry === undefined || parts === undefined || !isValid(entry.claim, registrations)) return [];
    return [{ uid, parts }];
  });
}
