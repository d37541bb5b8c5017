import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import type { OpenClaim } from "../../../core/ledger/ledger-bucket.ts";
import type { RenderedClaim } from "../../../core/policy/claim-policy.ts";
import type { ConsumerKey } from "../consumer-state.ts";

/** A claim that is to be stored, as granted, together with the object it is for. */
export interface NewClaim {
  readonly plane: string;
  readonly claim: RenderedClaim;
  readonly uid: string;
}

/** A claim that is stored and granted, and is to hold less. */
export interface ReleasedClaim {
  readonly place: ObjectPlace;
  readonly uid: string;
  readonly consumer: ConsumerKey["consumer"];
  /** What it held. */
  readonly held: readonly ClaimPart[];
  /** What it holds from then on; undefined when it is removed. */
  readonly left: readonly ClaimPart[] | undefined;
}

/** What a transaction changes about the quota of one consumer. */
export interface QuotaChange {
  readonly key: ConsumerKey;
  /** Of the consumer. */
  readonly id: string;
  readonly granted: readonly (OpenClaim & { readonly request: NewClaim })[];
  readonly released: readonly ReleasedClaim[];
}

/** What a transaction changes about quota: handed to the store with it, and back to the writer when a batch is taken. */
export interface QuotaTicket {
  readonly changes: readonly QuotaChange[];
  /** The status of each new claim, in the order in which they were asked for. */
  readonly statuses: readonly JsonObject[];
}
