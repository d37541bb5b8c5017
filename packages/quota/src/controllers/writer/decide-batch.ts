import { formatTime } from "@milo-quota/kubernetes/protocol/time.ts";
import type { OpenClaim } from "../../core/ledger/ledger-bucket.ts";
import { resourceTypesOf } from "../../core/ledger/ledger-bucket.ts";
import { type Decision, settle } from "../../core/ledger/settle.ts";
import { awaitAll } from "../await-all.ts";
import type { FailureCollector } from "../failure-collector.ts";
import { BucketWrites } from "./buckets/bucket-writes.ts";
import type { Invalidity } from "./claims/claim-status.ts";
import { ClaimStatusWriter } from "./claims/claim-status-writer.ts";
import { requestMessages, validationIssues, validationMessage } from "./claims/claim-validation.ts";
import { denyAll } from "./claims/denials.ts";
import type { ConsumerState } from "./consumer-state.ts";
import { recoverAll } from "./recovery.ts";
import type { WriterDeps } from "./writer-deps.ts";

/** The expirationTime of a reservation is informational: by then the claim should be decided. */
const reservationMs = 40_000;
const oversizedMessage = "requests more than one bucket can store";

/**
 * Decides the open claims of a consumer: reserves what fits, with one write for each bucket however many claims there are,
 * and then writes the claim statuses. Returns whether there is more to do at once. A status that cannot be written goes to
 * `failures`, and delays no other claim.
 */
export async function decideBatch(
  state: ConsumerState,
  deps: WriterDeps,
  failures: FailureCollector,
  signal: AbortSignal,
): Promise<boolean> {
  const statuses = new ClaimStatusWriter(state, deps, signal);
  const context = { deps, failures, statuses, writes: new BucketWrites(state, deps, signal) };
  const dropped = await recoverAll(state, context, signal);
  if (!state.isCounted) return true;
  state.countGrants(deps.registrations, deps.runtime.clock.now());
  const { ready, invalid } = partition(state, deps);
  if (!state.hasUsedBuckets || !haveBuckets(state, ready)) {
    state.invalidate();
    return true;
  }
  const decisions = settle(state.ledger, ready, () => deps.runtime.random.uuid());
  if (decisions.length > 0) deps.observer.onBatch?.(decisions.length);
  const expirationTime = decisions.length > 0 ? formatTime(deps.runtime.clock.now() + reservationMs) : "";
  const swapped = await context.writes.swapAll({ decisions, dropped, expirationTime });
  const reserved = decisions.filter((decision) => isReserve(decision) && isComplete(decision.claim, swapped));
  await failures.collect(awaitAll(reserved.map(({ claim }) => statuses.commit(claim.claim.uid))));
  for (const { claim, parts } of oversized(decisions)) {
    invalid.set(claim.uid, { message: oversizedMessage, requests: parts.map(() => oversizedMessage) });
  }
  await failures.collect(awaitAll([...invalid].map(([uid, why]) => statuses.markInvalid(uid, why))));
  const denials = decisions.filter(isDenial).map(({ claim }) => claim);
  const hasRoom = denials.length > 0 && (await denyAll(state, denials, { ...context, swapped }, signal));
  return hasRoom || !state.isCounted || decisions.some(({ outcome }) => outcome === "wait");
}

interface OpenClaims {
  readonly ready: readonly OpenClaim[];
  /** Why claims cannot be decided, by UID. */
  readonly invalid: Map<string, Invalidity>;
}

function partition(state: ConsumerState, { forced, registrations }: WriterDeps): OpenClaims {
  const ready: OpenClaim[] = [];
  const invalid = new Map<string, Invalidity>();
  for (const { key, claim, open } of state.open) {
    const { uid } = open.claim;
    if (isReserved(state, open)) continue; // a reserved claim is granted, even if it became invalid meanwhile
    const verdict = forced.verdict(key, uid);
    if (verdict === "unknown") continue; // ForcedClaims requeues the consumer when it is confirmed or released
    const issues = validationIssues(claim, registrations);
    if (issues.length > 0) {
      invalid.set(uid, { message: validationMessage(issues), requests: requestMessages(claim, issues) });
    } else ready.push(verdict === "forced" ? { ...open, forced: true } : open);
  }
  return { ready, invalid };
}

function isReserved({ ledger }: ConsumerState, open: OpenClaim): boolean {
  return resourceTypesOf(open).some((type) => ledger.ofType(type).hasReservation(open.claim.uid));
}

/** A missing bucket is created by the next recount. */
function haveBuckets(state: ConsumerState, claims: readonly OpenClaim[]): boolean {
  return claims.every((claim) => resourceTypesOf(claim).every((type) => state.buckets.has(type)));
}

/** Whether all buckets of a claim were written: an incomplete attempt does not count. */
function isComplete(claim: OpenClaim, written: ReadonlySet<string>): boolean {
  return resourceTypesOf(claim).every((type) => written.has(type));
}

function isReserve(decision: Decision): boolean {
  return decision.outcome === "reserve";
}

function isDenial(decision: Decision): decision is Extract<Decision, { readonly outcome: "deny" }> {
  return decision.outcome === "deny";
}

function oversized(decisions: readonly Decision[]): readonly OpenClaim[] {
  return decisions.flatMap(({ outcome, claim }) => (outcome === "oversized" ? [claim] : []));
}
