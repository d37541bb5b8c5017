import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { RenderedClaim } from "../../core/policy/claim-policy.ts";
import type { Companions, ObjectChange } from "../object-change.ts";
import type { ReducedNeed } from "../policies/growth.ts";

/** A claim that is to be stored, as granted, together with its object. */
export interface NewClaim {
  readonly plane: string;
  readonly claim: RenderedClaim;
  readonly uid: string;
}

/** What quota does to a change of an object. */
export interface QuotaEffect {
  readonly change: ObjectChange;
  readonly granted: readonly NewClaim[];
  /** The objects of these claims, given their statuses. */
  readonly manifests: (statuses: readonly JsonObject[]) => readonly JsonObject[];
  /** What the object needs less of than before. */
  readonly reduced: readonly ReducedNeed[];
}

/** Where the server and the only writer of buckets are in this process: quota is stored together with objects. */
export interface ClaimTransactions {
  /** Undefined when claims have to be stored and decided by themselves, and given back after the object has changed. */
  try(effect: QuotaEffect): Companions | undefined;
}
