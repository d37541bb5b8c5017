import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import type { ClaimCreationPolicy } from "../../../core/resources/claim-creation-policy.ts";
import { type Balance, balance, type HeldClaim } from "../forced/balance.ts";
import type { Need } from "./object-needs.ts";

/** A claim of an object by a policy that is pending or granted. */
export interface ObjectClaim extends HeldClaim {
  readonly state: "pending" | "granted";
  readonly deleting: boolean;
  /** Whether it has other candidates: failed attempts to create an object of the same name. */
  readonly isShared: boolean;
  /** How long a change to the object that it was created for may still be stored. */
  readonly recentForMs: number;
}

/** The state of an object and a policy that the plan for its claims depends on. */
export interface ObservedObject {
  readonly need: Need;
  readonly mode: ClaimCreationPolicy["mode"];
  readonly existingObjects: ClaimCreationPolicy["existingObjects"];
  /** Since when the policy is in effect; undefined until its status says so. */
  readonly enforcedSince: string | undefined;
  readonly created: string;
  readonly claims: readonly ObjectClaim[];
}

export interface ObjectPlan {
  /** Parts to create a forced claim for. */
  readonly missing: readonly ClaimPart[];
  readonly superfluous: Balance["superfluous"];
  readonly oversized: Balance["oversized"];
  /** When to plan again without an event; undefined: never. */
  readonly waitMs: number | undefined;
}

const emptyPlan: ObjectPlan = { missing: [], superfluous: [], oversized: [], waitMs: undefined };

/**
 * Plans the changes to the claims of an object by a policy. Missing claims are created at once. Surplus may belong to a
 * change of the object that is not stored yet, and is released only after the time for that has passed.
 */
export function planFor(object: ObservedObject): ObjectPlan {
  const { need, mode, enforcedSince, claims } = object;
  if (need.need === "unknown" || mode === "Shadow" || enforcedSince === undefined) return emptyPlan;
  if (claims.length === 0 && (need.need === "nothing" || !isGoverned(object))) return emptyPlan;
  const { missing, superfluous, oversized } = balance(need.need === "claim" ? need : undefined, claims);
  const isChanging = claims.some(({ state, deleting, isShared }) => state === "pending" || deleting || isShared);
  if (isChanging || superfluous.length + oversized.length === 0) return { ...emptyPlan, missing };
  const waitMs = Math.max(...claims.map(({ recentForMs }) => recentForMs));
  return waitMs > 0 ? { ...emptyPlan, missing, waitMs } : { missing, superfluous, oversized, waitMs: undefined };
}

export function isEmptyPlan({ missing, superfluous, oversized, waitMs }: ObjectPlan): boolean {
  return missing.length + superfluous.length + oversized.length === 0 && waitMs === undefined;
}

/** Timestamps have a resolution of one second: an object created in the same second counts as newer. */
export function isOlder(created: string, enforcedSince: string): boolean {
  return created < enforcedSince;
}

function isGoverned({ existingObjects, created, enforcedSince = "" }: ObservedObject): boolean {
  return existingObjects === "Adopt" || !isOlder(created, enforcedSince);
}
