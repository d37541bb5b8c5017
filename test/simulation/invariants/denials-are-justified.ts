import type { AdmissionHistory } from "./admission-history.ts";
import { countingPools, type Demand, gain, heldWithoutReservation, isRegistered } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { amountOf, bucketId } from "./stored-amount.ts";
import { objectsOfClaim, type StoredClaim } from "./stored-claim.ts";

/**
 * I6: no claim is denied that would have fitted at every moment of its life. For a claim that is decided before it is stored,
 * life starts with the admission request; it is checked only if nothing has changed for its consumer since then.
 */
export class DenialsAreJustified implements Invariant {
  readonly name = "I6";
  /** Upper bound of clock skew: to some machine, a grant may seem to expire this early. */
  readonly #clockSkewMsMax: number;
  /** UIDs of claims that have always fitted so far. */
  readonly #alwaysFitted = new Set<string>();
  readonly #history: Pick<AdmissionHistory, "decisionStartedMs">;
  /** Last change by consumer, or under `allConsumers`. */
  readonly #changedMs = new Map<string, number>();

  constructor(clockSkewMsMax: number, history: Pick<AdmissionHistory, "decisionStartedMs">) {
    this.#clockSkewMsMax = clockSkewMsMax;
    this.#history = history;
  }

  *violations(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about === "object" || change.about === "policy" || change.about === "other") return;
    if (change.about === "claim" && change.after !== undefined && change.after.uid !== change.before?.uid) {
      if (!this.#mayNotHaveFitted(change.after)) this.#alwaysFitted.add(change.after.uid);
    }
    this.#changedMs.set(consumerOf(change), change.atMs);
    const seenMs = change.atMs + this.#clockSkewMsMax;
    for (const uid of this.#alwaysFitted) {
      const claim = truth.claimByUid(uid);
      if (claim === undefined || claim.state === "granted" || !fits(claim, truth, seenMs))
        this.#alwaysFitted.delete(uid);
      else if (claim.state === "denied") {
        this.#alwaysFitted.delete(uid);
        yield `claim ${claim.key.name} (${uid}) is denied, but fitted at every moment of its life`;
      }
    }
  }

  /** Whether the claim may not have fitted between its admission request and its storage. */
  #mayNotHaveFitted(claim: StoredClaim): boolean {
    const begunMs = objectsOfClaim(claim).flatMap((uid) => this.#history.decisionStartedMs(uid) ?? []);
    const changedMs = [consumerText(claim), allConsumers].flatMap((consumer) => this.#changedMs.get(consumer) ?? []);
    return changedMs.some((atMs) => begunMs.some((sinceMs) => atMs >= sinceMs));
  }
}

const allConsumers = "";

function consumerOf(change: QuotaChange): string {
  if (change.about !== "claim" && change.about !== "bucket" && change.about !== "grant") return allConsumers;
  const thing = change.after ?? change.before;
  return thing === undefined ? allConsumers : consumerText(thing);
}

function consumerText({ key, consumer }: Pick<StoredClaim, "key" | "consumer">): string {
  return `${key.plane} ${consumer}`;
}

/** Whether all requests of a claim fit besides existing allocations and reservations. */
function fits(claim: StoredClaim, truth: QuotaTruth, nowMs: number): boolean {
  if (!isRegistered(truth, claim)) return false;
  const types = new Set(claim.requested.map(({ resourceType }) => resourceType));
  return [...types].every((resourceType) => fitsInBucket(claim, resourceType, truth, nowMs));
}

function fitsInBucket(claim: StoredClaim, resourceType: string, truth: QuotaTruth, nowMs: number): boolean {
  const id = bucketId(claim.key.plane, claim.consumer, resourceType);
  const bucket = truth.buckets.get(id);
  const reserved = bucket?.reservations.filter(({ uid }) => uid !== claim.uid) ?? [];
  const held = heldWithoutReservation(truth, id);
  const wanted = claim.requested.filter((part) => part.resourceType === resourceType);
  const pools = countingPools(truth, id, nowMs);
  const fitsBeside = (use: readonly Demand[]): boolean => gain(pools, use, wanted) === amountOf(wanted);
  // A bucket may still count deleted claims, whose dimensions are unknown here: assume the worst.
  const deleted = (bucket?.allocated ?? 0n) - amountOf(held);
  const use = [...held, ...reserved];
  if (deleted <= 0n) return fitsBeside(use);
  return wanted.every((part) => fitsBeside([...use, { ...part, amount: deleted }]));
}
