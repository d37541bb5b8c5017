import { soleOwner } from "../../../core/resources/claim-owner.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";

/** What was observed of the object of a claim: names are unique, so that there is at most one. */
export type ObjectObservation =
  /** The informer has not synced yet. */
  | { readonly object: "starting" }
  /** Not in the cache, which may be outdated. */
  | { readonly object: "uncached" }
  /** The API server reported that it does not exist. */
  | { readonly object: "absent" }
  | {
      readonly object: "present";
      readonly uid: string;
      /** Empty if the cache does not have it. */
      readonly apiVersion: string;
      readonly terminating: boolean;
      /** Read from the API server, not from the cache. */
      readonly live: boolean;
    };

/** The state of an automatic claim that its next step depends on. */
export interface ObservedClaim {
  readonly state: ClaimRecord["state"];
  readonly automatic: Pick<AutomaticClaim, "candidates" | "bound" | "owners">;
  /** Whether Kubernetes lets the object own the claim: same control plane, and cluster-scoped or in the same namespace. */
  readonly mayBeOwned: boolean;
  readonly observation: ObjectObservation;
  /** The candidate that was observed to be stored, even if the claim is not bound to it yet. */
  readonly storedCandidate: string | undefined;
  /** How long this process has observed the current list of candidates. */
  readonly candidatesAgeMs: number;
  /** How long this process has observed it denied; 0 if it is not. */
  readonly deniedAgeMs: number;
}

export interface OwnershipTimes {
  /** After this time an API server has completed or abandoned the create of a candidate. */
  readonly reservationTtlMs: number;
  /** How long a denied claim is kept for users to inspect. */
  readonly deniedMs: number;
}

export const defaultTimes: OwnershipTimes = { reservationTtlMs: 40_000, deniedMs: 60_000 };

/** The next action for a claim. */
export type ClaimStep =
  | { readonly step: "none" }
  | { readonly step: "wait"; readonly forMs: number }
  /** Read the object from the API server, then decide again. */
  | { readonly step: "read" }
  | {
      readonly step: "bind";
      readonly uid: string;
      readonly candidates: readonly string[];
      /** The apiVersion for a new owner reference to the object; undefined to add none. */
      readonly ownerVersion: string | undefined;
    }
  /** The object it was bound to is gone, but another candidate may still be stored. */
  | { readonly step: "unbind"; readonly uid: string; readonly candidates: readonly string[] }
  | { readonly step: "delete"; readonly reason: "denied" | "unused" | "released" };

/** A pending claim is left to the bucket writer for this time: writing both status and binding at once would conflict. */
const decisionMs = 1_000;

const none: ClaimStep = { step: "none" };

/**
 * Decides the next step for an automatic claim. The cache suffices to bind it to an object, because a claim of an object that
 * is deleted meanwhile is released later; only the API server can confirm that an object does not exist.
 */
export function nextStep(claim: ObservedClaim, times: OwnershipTimes): ClaimStep {
  const { automatic, observation } = claim;
  if (claim.state === "denied")
    return afterDelay(claim.deniedAgeMs, times.deniedMs, { step: "delete", reason: "denied" });
  switch (observation.object) {
    case "starting":
      return hasSoleObject(automatic) ? none : afterTtl(claim, times, { step: "read" });
    case "uncached":
      return boundTo(claim) === undefined ? afterTtl(claim, times, { step: "read" }) : { step: "read" };
    case "absent":
      return withoutObject(claim, times);
    case "present":
      return withObject(claim, observation, times);
    default:
      throw new Error(`unknown observation ${observation satisfies never}`);
  }
}

/** Whether it can be for one object only. It is then checked once the informer has synced, or deleted with its owner. */
function hasSoleObject({ bound, candidates, owners }: ObservedClaim["automatic"]): boolean {
  return bound !== undefined || soleOwner(candidates, owners) !== undefined;
}

type PresentObject = Extract<ObjectObservation, { object: "present" }>;

function withObject(claim: ObservedClaim, object: PresentObject, times: OwnershipTimes): ClaimStep {
  const { candidates } = claim.automatic;
  const bound = boundTo(claim);
  const isOurs = bound === undefined ? candidates.includes(object.uid) : bound === object.uid;
  if (isOurs) return binding(claim, object, times);
  if (object.live) return withoutObject(claim, times);
  return bound === undefined ? afterTtl(claim, times, { step: "read" }) : { step: "read" };
}

/** A stored candidate cannot be stored again: once it is deleted, the claim need not wait for it. */
function boundTo({ automatic, storedCandidate }: ObservedClaim): string | undefined {
  return automatic.bound ?? storedCandidate;
}

/** No candidate exists; or an object of the same name exists that is not a candidate. */
function withoutObject(claim: ObservedClaim, times: OwnershipTimes): ClaimStep {
  const { candidates } = claim.automatic;
  const bound = boundTo(claim);
  if (bound === undefined) return afterTtl(claim, times, { step: "delete", reason: "unused" });
  const left = candidates.filter((uid) => uid !== bound);
  return left.length === 0 ? { step: "delete", reason: "released" } : { step: "unbind", uid: bound, candidates: left };
}

/**
 * The object exists. Other candidates were attempts to create the same name, and cannot be stored any more after the TTL.
 * Until then the object does not own the claim: its deletion would leave the other candidates without a claim.
 */
function binding(claim: ObservedClaim, object: PresentObject, times: OwnershipTimes): ClaimStep {
  const { automatic, candidatesAgeMs } = claim;
  const { uid, live } = object;
  if (claim.state === "pending" && candidatesAgeMs < decisionMs)
    return { step: "wait", forMs: decisionMs - candidatesAgeMs };
  const isSettled = candidatesAgeMs >= times.reservationTtlMs;
  const candidates = isSettled && live ? [uid] : automatic.candidates;
  const ownerVersion = isOnly(candidates, uid) && lacksOwner(claim, object) ? object.apiVersion : undefined;
  if (ownerVersion === "" && !live) return { step: "read" };
  const isSame = automatic.bound === uid && candidates.length === automatic.candidates.length;
  if (!isSame || ownerVersion !== undefined) return { step: "bind", uid, candidates, ownerVersion };
  if (isOnly(candidates, uid)) return none;
  return afterTtl(claim, times, { step: "read" });
}

/** A terminating object must not own the claim: the garbage collector could delete the claim before the object is gone. */
function lacksOwner({ mayBeOwned, automatic }: ObservedClaim, { uid, terminating }: PresentObject): boolean {
  return mayBeOwned && !terminating && !automatic.owners.includes(uid);
}

/** A candidate may be stored until the TTL has passed. */
function afterTtl(claim: ObservedClaim, times: OwnershipTimes, step: ClaimStep): ClaimStep {
  return afterDelay(claim.candidatesAgeMs, times.reservationTtlMs, step);
}

function afterDelay(passedMs: number, delayMs: number, step: ClaimStep): ClaimStep {
  return passedMs >= delayMs ? step : { step: "wait", forMs: delayMs - passedMs };
}

function isOnly(candidates: readonly string[], uid: string): boolean {
  return candidates.every((candidate) => candidate === uid);
}
