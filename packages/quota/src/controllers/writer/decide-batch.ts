import { timeText } from "@milo-quota/kubernetes/protocol/time.ts";
import type { OpenClaim } from "../../core/ledger/ledger-bucket.ts";
import { resourceTypesOf } from "../../core/ledger/ledger-bucket.ts";
import { type Decision, settle } from "../../core/ledger/settle.ts";
import { allOf, type Deferred } from "./all-of.ts";
import { ClaimAnswers } from "./claims/claim-answers.ts";
import { denyAll } from "./claims/denials.ts";
import { faultsOf, faultText } from "./claims/validity.ts";
import type { ConsumerState } from "./consumer-state.ts";
import { PageWrites } from "./pages/page-writes.ts";
import { recoverAll } from "./recovery.ts";
import type { WriterDeps } from "./writer-deps.ts";

/** For people to read: by then a promise should be settled. */
const promiseMs = 40_000;

/**
 * Decides the claims of a consumer that wait: promises them what fits, one write for each page however many claims there
 * are, and answers them. Returns whether there is more to do at once. A claim that cannot be answered is among the
 * failures, and keeps no other from its answer.
 */
export async function decideBatch(
  state: ConsumerState,
  deps: WriterDeps,
  failures: Deferred,
  signal: AbortSignal,
): Promise<boolean> {
  const answers = new ClaimAnswers(state, deps, signal);
  const context = { deps, failures, answers, writes: new PageWrites(state, deps, signal) };
  const dropped = await recoverAll(state, context, signal);
  if (!state.isCounted) return true;
  state.countGrants(deps.registrations, deps.runtime.clock.now());
  const { ready, faulty } = sortOut(state, deps);
  if (!state.hasUsedPages || !havePages(state, ready)) {
    state.invalidate();
    return true;
  }
  const decisions = settle(state.ledger, ready, () => deps.runtime.random.uuid());
  if (decisions.length > 0) deps.observer.batched?.(decisions.length);
  const expirationTime = decisions.length > 0 ? timeText(deps.runtime.clock.now() + promiseMs) : "";
  const swapped = await context.writes.swapAll({ decisions, dropped, expirationTime });
  const promised = decisions.filter((decision) => isReserve(decision) && isOn(decision.claim, swapped));
  await failures.of(allOf(promised.map(({ claim }) => answers.commit(claim.claim.uid))));
  for (const uid of oversized(decisions)) faulty.set(uid, "asks for more than fits onto a page");
  await failures.of(allOf([...faulty].map(([uid, message]) => answers.refuse(uid, message))));
  const denials = decisions.filter(isDenial).map(({ claim }) => claim);
  const hasRoom = denials.length > 0 && (await denyAll(state, denials, { ...context, swapped }, signal));
  return hasRoom || !state.isCounted || decisions.some(({ outcome }) => outcome === "wait");
}

interface Sorted {
  readonly ready: readonly OpenClaim[];
  /** Why claims cannot be decided, by UID. */
  readonly faulty: Map<string, string>;
}

function sortOut(state: ConsumerState, { forced, registrations }: WriterDeps): Sorted {
  const ready: OpenClaim[] = [];
  const faulty = new Map<string, string>();
  for (const { place, claim, open } of state.open) {
    const { uid } = open.claim;
    if (isPromised(state, open)) continue; // what was promised is granted, whatever is true by now
    const verdict = forced.verdict(place, uid);
    if (verdict === "unknown") continue; // we are told when it is known
    const faults = faultsOf(claim, registrations);
    if (faults.length > 0) faulty.set(uid, faultText(faults));
    else ready.push(verdict === "forced" ? { ...open, standing: "forced" } : open);
  }
  return { ready, faulty };
}

function isPromised({ ledger }: ConsumerState, open: OpenClaim): boolean {
  return resourceTypesOf(open).some((type) => ledger.ofType(type).hasReservation(open.claim.uid));
}

/** A page that was not there when pages were counted is made by the next count. */
function havePages(state: ConsumerState, claims: readonly OpenClaim[]): boolean {
  return claims.every((claim) => resourceTypesOf(claim).every((type) => state.pages.has(type)));
}

/** Whether all pages of a claim are among these: of a half, nothing counts. */
function isOn(claim: OpenClaim, pages: ReadonlySet<string>): boolean {
  return resourceTypesOf(claim).every((type) => pages.has(type));
}

function isReserve(decision: Decision): boolean {
  return decision.outcome === "reserve";
}

function isDenial(decision: Decision): decision is Extract<Decision, { readonly outcome: "deny" }> {
  return decision.outcome === "deny";
}

function oversized(decisions: readonly Decision[]): readonly string[] {
  return decisions.flatMap(({ outcome, claim }) => (outcome === "oversized" ? [claim.claim.uid] : []));
}
