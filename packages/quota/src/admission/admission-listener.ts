import type { ClaimCreationPolicy } from "../core/resources/claim-creation-policy.ts";
import type { NewClaim } from "./claims/claim-transactions.ts";
import type { ObjectChange } from "./object-change.ts";
import type { PolicyRendering } from "./policies/policy-claim.ts";

/** What a policy came to for a change. */
export type AdmissionResult =
  | "granted"
  /** There is not enough quota. */
  | "denied"
  /** There was enough, but another policy refused: what was claimed is given back. */
  | "withdrawn"
  /** The policy is switched off. */
  | "policy_disabled"
  /** Nobody decided in time, or could. */
  | "undecided"
  /** The policy, or what it relies on, has to be fixed. */
  | "misconfigured"
  /** There is an object of the name already. */
  | "exists"
  /** Nobody decided, or could; it was let in because the policy says so. */
  | "ignored"
  /** The policy only watches. */
  | "shadow_granted"
  | "shadow_denied";

/** A claim that stands behind an object being let in. */
export interface AdmittingClaim {
  readonly policy: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What an object was stored with. */
export interface StoredWith {
  readonly rendered: readonly PolicyRendering[];
  readonly claims: readonly NewClaim[];
}

/** Hears of what admission decides. Dry runs are told as well; the change says that it is one. */
export interface AdmissionListener {
  decided?(policy: ClaimCreationPolicy, change: ObjectChange, result: AdmissionResult): void;
  /** A change is let in, and all of these claims are granted and list its object. */
  admitted?(change: ObjectChange, claims: readonly AdmittingClaim[]): void;
  /** An object was stored together with claims; this is what policies made of it. */
  stored?(change: ObjectChange, version: string, stored: StoredWith): void;
  /** What a policy that only watches would have said. */
  shadowed?(policy: ClaimCreationPolicy, change: ObjectChange, message: string): void;
  /** A condition asked for something that is not there. */
  missingKey?(policy: ClaimCreationPolicy): void;
}
