import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { Companions, ObjectChange } from "../object-change.ts";
import type { ReducedNeed } from "../policies/growth.ts";

/** A claim to be stored, already granted, in one transaction with its object. */
export interface NewClaim {
  readonly plane: string;
  readonly claim: RenderedClaim;
  readonly uid: string;
}

/** The effect of an object's change on quota. */
export interface QuotaEffect {
  readonly change: ObjectChange;
  readonly granted: readonly NewClaim[];
  /** Builds the manifests of the granted claims with these statuses. */
  readonly manifests: (statuses: readonly JsonObject[]) => readonly JsonObject[];
  /** Needs that the change reduces. */
  readonly reduced: readonly ReducedNeed[];
}

/** Stores claims in one transaction with objects. Available when the API server and the only bucket writer are in this process. */
export interface ClaimTransactions {
  /** Undefined when the claims must be created and decided before the object is stored, and reduced after it. */
  prepare(effect: QuotaEffect): Companions | undefined;
}
