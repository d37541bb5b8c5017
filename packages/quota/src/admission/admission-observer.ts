import type { ClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import type { NewClaim } from "./claims/claim-transactions.ts";
import type { ObjectChange } from "./object-change.ts";
import type { PolicyRendering } from "./policies/policy-claim.ts";

/** The result of one policy for one change. */
export type AdmissionResult =
  | "granted"
  /** Not enough quota. */
  | "denied"
  /** Granted, but withdrawn because another policy rejected the change. */
  | "withdrawn"
  | "policy_disabled"
  /** Not decided in time, or an error prevented the decision. */
  | "undecided"
  /** The policy, or an object it refers to, must be fixed. */
  | "misconfigured"
  /** An object of the name exists already. */
  | "exists"
  /** Not decided, and admitted because of failurePolicy: Ignore. */
  | "ignored"
  /** In Shadow mode: what Enforce would have decided. */
  | "shadow_granted"
  | "shadow_denied";

/** A granted claim of an admitted object. */
export interface AdmittingClaim {
  readonly policy: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What was stored in one transaction with an object. */
export interface StoredWith {
  readonly rendered: readonly PolicyRendering[];
  readonly claims: readonly NewClaim[];
}

/** Observes admission's decisions, including those on dry runs. */
export interface AdmissionObserver {
  onDecided?(policy: ClaimCreationPolicy, change: ObjectChange, result: AdmissionResult): void;
  /** A change was admitted: all of these claims are granted and list its object. */
  onAdmitted?(change: ObjectChange, claims: readonly AdmittingClaim[]): void;
  /** An object was stored in one transaction with its claims. */
  onStored?(change: ObjectChange, version: string, stored: StoredWith): void;
  /** A policy in Shadow mode would have rejected a change. */
  onShadowRejection?(policy: ClaimCreationPolicy, change: ObjectChange, message: string): void;
  /** A condition of a policy read a field or key that the object does not have. */
  onMissingKey?(policy: ClaimCreationPolicy): void;
}
