import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import type { OpenClaim } from "../../../core/ledger/ledger-bucket.ts";
import type { RenderedClaim } from "../../../core/policy/claim-policy.ts";
import type { ConsumerKey } from "../consumer-state.ts";

/** A claim to be stored as granted, in one transaction with its object. */
export interface NewClaim {
  readonly plane: string;
  readonly claim: RenderedClaim;
  readonly uid: string;
}

/** A granted claim that is to hold less, or to be removed. */
export interface ReleasedClaim {
  readonly key: PlaneObjectKey;
  readonly uid: string;
  readonly consumer: ConsumerKey["consumer"];
  /** Its allocations before. */
  readonly held: readonly ClaimPart[];
  /** Its allocations afterwards; undefined if the claim is removed. */
  readonly left: readonly ClaimPart[] | undefined;
}

/** The quota changes of a transaction for one consumer. */
export interface QuotaChange {
  readonly key: ConsumerKey;
  readonly consumerId: string;
  readonly granted: readonly (OpenClaim & { readonly request: NewClaim })[];
  readonly released: readonly ReleasedClaim[];
}

/** The quota changes of a transaction. The store passes it back to the writer when it commits a batch. */
export interface QuotaTicket {
  readonly changes: readonly QuotaChange[];
  /** The status of each new claim, in the order of the request. */
  readonly statuses: readonly JsonObject[];
}
