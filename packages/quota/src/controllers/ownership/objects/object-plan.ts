import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import type { ClaimCreationPolicy } from "../../../core/resources/claim-creation-policy.ts";
import { type Balance, balance, type HeldClaim } from "../forced/balance.ts";
import type { Need } from "./object-needs.ts";

/** A claim for an object by a policy, that has not been denied. */
export interface ObjectClaim extends HeldClaim {
  readonly state: "pending" | "granted";
  readonly deleting: boolean;
  /** Whether it may be for other objects as well, that were tried under the same name. */
  readonly isShared: boolean;
  /** How long what it is for may still be on its way. */
  readonly youngForMs: number;
}

/** What is to be known of an object and a policy to tell what to do about its claims. */
export interface ObjectSituation {
  readonly need: Need;
  readonly mode: ClaimCreationPolicy["mode"];
  readonly existingObjects: ClaimCreationPolicy["existingObjects"];
  /** Since when the policy is at work; undefined as long as nobody has said so. */
  readonly readySince: string | undefined;
  readonly created: string;
  readonly claims: readonly ObjectClaim[];
}

export interface ObjectPlan {
  /** What a claim is to be made for, whether it fits or not: the object is there. */
  readonly missing: readonly ClaimPart[];
  readonly superfluous: Balance["superfluous"];
  readonly oversized: Balance["oversized"];
  /** When to look again although nothing happened; undefined: not at all. */
  readonly waitMs: number | undefined;
}

const atRest: ObjectPlan = { missing: [], superfluous: [], oversized: [], waitMs: undefined };

/**
 * What to do about the claims of an object by a policy. Too little is put right at once. Too much may be meant for what
 * is about to be stored, and is left until that would have come.
 */
export function planFor(situation: ObjectSituation): ObjectPlan {
  const { need, mode, readySince, claims } = situation;
  if (need.need === "unknown" || mode === "Shadow" || readySince === undefined) return atRest;
  if (claims.length === 0 && (need.need === "nothing" || !isGoverned(situation))) return atRest;
  const { missing, superfluous, oversized } = balance(need.need === "claim" ? need : undefined, claims);
  const isChanging = claims.some(({ state, deleting, isShared }) => state === "pending" || deleting || isShared);
  if (isChanging || superfluous.length + oversized.length === 0) return { ...atRest, missing };
  const waitMs = Math.max(...claims.map(({ youngForMs }) => youngForMs));
  return waitMs > 0 ? { ...atRest, missing, waitMs } : { missing, superfluous, oversized, waitMs: undefined };
}

export function isAtRest({ missing, superfluous, oversized, waitMs }: ObjectPlan): boolean {
  return missing.length + superfluous.length + oversized.length === 0 && waitMs === undefined;
}

/** Times are in seconds: one made in the very second in which the policy went to work is taken as made after it. */
export function isOlder(created: string, readySince: string): boolean {
  return created < readySince;
}

function isGoverned({ existingObjects, created, readySince = "" }: ObjectSituation): boolean {
  return existingObjects === "Adopt" || !isOlder(created, readySince);
}
