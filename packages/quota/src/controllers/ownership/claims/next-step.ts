import { soleOwner } from "../../../core/resources/claim-owner.ts";
import type { AutomaticClaim, ClaimRecord } from "../../../views/claim-record.ts";

/** What is known of the object that a claim is for. There is at most one under its name. */
export type Sighting =
  /** Everything that is there is about to be told. */
  | { readonly sight: "starting" }
  /** A view does not show it, which proves nothing: views are late. */
  | { readonly sight: "unseen" }
  /** The server itself says that there is none. */
  | { readonly sight: "gone" }
  | {
      readonly sight: "there";
      readonly uid: string;
      /** Empty when a view does not tell. */
      readonly apiVersion: string;
      readonly terminating: boolean;
      /** Whether the server itself says so, just now. */
      readonly live: boolean;
    };

/** An automatic claim, and what has been seen of it. */
export interface ClaimSituation {
  readonly state: ClaimRecord["state"];
  readonly automatic: Pick<AutomaticClaim, "candidates" | "bound" | "owners">;
  /** Whether Kubernetes lets the object own the claim: in the same plane, and in the same namespace or in none. */
  readonly mayBeOwned: boolean;
  readonly object: Sighting;
  /** The candidate that was seen to be stored, whether the claim says so by now or not. */
  readonly landed: string | undefined;
  /** How long we have been seeing this very list of candidates. */
  readonly listSeenMs: number;
  /** How long we have been seeing it denied; 0 if it is not. */
  readonly deniedSeenMs: number;
}

export interface OwnershipTimes {
  /** After this long an API server has finished or dropped the create of a candidate. */
  readonly reservationTtlMs: number;
  /** How long a denied claim can be looked at. */
  readonly deniedMs: number;
}

export const defaultTimes: OwnershipTimes = { reservationTtlMs: 40_000, deniedMs: 60_000 };

/** The one thing to do about a claim now. */
export type ClaimStep =
  | { readonly step: "nothing" }
  | { readonly step: "wait"; readonly forMs: number }
  /** Ask the server itself about the object, then decide again. */
  | { readonly step: "look" }
  | {
      readonly step: "bind";
      readonly uid: string;
      readonly candidates: readonly string[];
      /** The apiVersion for an owner reference to the object, if one is to be added. */
      readonly ownerVersion: string | undefined;
    }
  /** The object it was bound to is gone, but others may come that it is for. */
  | { readonly step: "unbind"; readonly uid: string; readonly candidates: readonly string[] }
  | { readonly step: "delete"; readonly why: "denied" | "unused" | "released" };

/** So long a claim is left to whoever answers it: two writes on one version, and the later one would be in vain. */
const answerMs = 1_000;

const nothing: ClaimStep = { step: "nothing" };

/**
 * What becomes of an automatic claim. That an object is there may be known from a view, for a claim bound to an object
 * that has gone meanwhile is released all the same; that none is there only the server can say.
 */
export function nextStep(claim: ClaimSituation, times: OwnershipTimes): ClaimStep {
  const { automatic, object } = claim;
  if (claim.state === "denied")
    return afterwards(claim.deniedSeenMs, times.deniedMs, { step: "delete", why: "denied" });
  switch (object.sight) {
    case "starting":
      return isClear(automatic) ? nothing : unlessItMayCome(claim, times, { step: "look" });
    case "unseen":
      return boundTo(claim) === undefined ? unlessItMayCome(claim, times, { step: "look" }) : { step: "look" };
    case "gone":
      return withoutObject(claim, times);
    case "there":
      return withObject(claim, object, times);
    default:
      throw new Error(`unknown sighting ${object satisfies never}`);
  }
}

/** Whether it can be for one object only: it is looked at when all objects are told of, and goes with its owner anyway. */
function isClear({ bound, candidates, owners }: ClaimSituation["automatic"]): boolean {
  return bound !== undefined || soleOwner(candidates, owners) !== undefined;
}

type There = Extract<Sighting, { sight: "there" }>;

function withObject(claim: ClaimSituation, object: There, times: OwnershipTimes): ClaimStep {
  const { candidates } = claim.automatic;
  const bound = boundTo(claim);
  const isOurs = bound === undefined ? candidates.includes(object.uid) : bound === object.uid;
  if (isOurs) return binding(claim, object, times);
  if (object.live) return withoutObject(claim, times);
  return bound === undefined ? unlessItMayCome(claim, times, { step: "look" }) : { step: "look" };
}

/** One that was stored cannot come once more: when it goes, the claim need not wait for it. */
function boundTo({ automatic, landed }: ClaimSituation): string | undefined {
  return automatic.bound ?? landed;
}

/** None of the objects that the claim may be for is there; or another one is, which has their name. */
function withoutObject(claim: ClaimSituation, times: OwnershipTimes): ClaimStep {
  const { candidates } = claim.automatic;
  const bound = boundTo(claim);
  if (bound === undefined) return unlessItMayCome(claim, times, { step: "delete", why: "unused" });
  const left = candidates.filter((uid) => uid !== bound);
  return left.length === 0 ? { step: "delete", why: "released" } : { step: "unbind", uid: bound, candidates: left };
}

/**
 * The object is there. What else is listed was tried under the same name, and cannot come any more once the time for it has
 * passed: until then the object does not own the claim, whose end would leave the others with none.
 */
function binding(claim: ClaimSituation, object: There, times: OwnershipTimes): ClaimStep {
  const { automatic, listSeenMs } = claim;
  const { uid, live } = object;
  if (claim.state === "pending" && listSeenMs < answerMs) return { step: "wait", forMs: answerMs - listSeenMs };
  const isSettled = listSeenMs >= times.reservationTtlMs;
  const candidates = isSettled && live ? [uid] : automatic.candidates;
  const ownerVersion = isOnly(candidates, uid) && lacksOwner(claim, object) ? object.apiVersion : undefined;
  if (ownerVersion === "" && !live) return { step: "look" };
  const isSame = automatic.bound === uid && candidates.length === automatic.candidates.length;
  if (!isSame || ownerVersion !== undefined) return { step: "bind", uid, candidates, ownerVersion };
  if (isOnly(candidates, uid)) return nothing;
  return afterwards(listSeenMs, times.reservationTtlMs, { step: "look" });
}

/** An object that is going would take the claim with it while it is still there. */
function lacksOwner({ mayBeOwned, automatic }: ClaimSituation, { uid, terminating }: There): boolean {
  return mayBeOwned && !terminating && !automatic.owners.includes(uid);
}

function unlessItMayCome(claim: ClaimSituation, times: OwnershipTimes, step: ClaimStep): ClaimStep {
  return afterwards(claim.listSeenMs, times.reservationTtlMs, step);
}

function afterwards(passedMs: number, wholeMs: number, step: ClaimStep): ClaimStep {
  return passedMs >= wholeMs ? step : { step: "wait", forMs: wholeMs - passedMs };
}

function isOnly(candidates: readonly string[], uid: string): boolean {
  return candidates.every((candidate) => candidate === uid);
}
