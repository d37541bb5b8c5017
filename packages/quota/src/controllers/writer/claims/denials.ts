import { type OpenClaim, resourceTypesOf } from "../../../core/ledger/ledger-bucket.ts";
import { shortParts } from "../../../core/ledger/settle.ts";
import { allOf, type Deferred } from "../all-of.ts";
import type { ConsumerState } from "../consumer-state.ts";
import { areUnchanged } from "../recovery.ts";
import type { WriterDeps } from "../writer-deps.ts";
import type { ClaimAnswers } from "./claim-answers.ts";
import { isValid } from "./validity.ts";

interface Context {
  readonly deps: WriterDeps;
  readonly answers: ClaimAnswers;
  readonly failures: Deferred;
  /** Pages that we have just written: nobody else did meanwhile. */
  readonly swapped: ReadonlySet<string>;
}

/**
 * Denies claims that did not fit, if there was a moment since they were seen at which they did not: pages, use and grants
 * are known anew first, and the grants were the same before and after. Returns whether one of them might fit by now.
 */
export async function denyAll(
  state: ConsumerState,
  denials: readonly OpenClaim[],
  { deps, answers, failures, swapped }: Context,
  signal: AbortSignal,
): Promise<boolean> {
  const { views } = deps;
  await Promise.all([views.grants.fresh(signal), views.registrations.fresh(signal)]);
  const { grantChanges } = state;
  const types = new Set(denials.flatMap(resourceTypesOf).filter((type) => !swapped.has(type)));
  if (!(await areUnchanged(state, [...types], deps, signal))) return true;
  await views.claims.fresh(signal);
  const short = shortages(state, denials, deps);
  await views.grants.fresh(signal);
  if (state.grantChanges !== grantChanges || !state.isCounted) return true;
  const denied = short.filter(({ parts }) => parts.length > 0);
  await failures.of(allOf(denied.map(({ uid, parts }) => answers.deny(uid, parts))));
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
