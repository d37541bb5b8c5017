import type { ConsumerRef } from "../../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { RegistrationIndex } from "../../views/registration-index.ts";
import type { Runtime } from "../../views/runtime.ts";
import type { Views } from "../../views/views.ts";
import type { BucketStore } from "./buckets/bucket-store.ts";
import type { FiguresObserver } from "./buckets/figures-observer.ts";
import type { ClaimStore } from "./claims/claim-store.ts";
import type { ForcedClaims } from "./claims/forced-claims.ts";

/** Spares a process that lost its lease useless writes. Correctness does not depend on it: every write is a compare-and-swap. */
export interface Leadership {
  /** Throws if this process does not lead, or cannot tell. */
  fence(): void;
}

/** Knows consumers without reading them from the API server. */
export interface ConsumerLookup {
  /** The UID of a consumer whose quota is in this control plane; undefined if it does not exist or is not known. */
  uidOf(plane: string, consumer: ConsumerRef): string | undefined;
}

/** The dependencies of the bucket writer. */
export interface WriterDeps {
  readonly runtime: Runtime;
  readonly views: Views;
  readonly registrations: RegistrationIndex;
  readonly forced: ForcedClaims;
  readonly leadership: Leadership;
  readonly buckets: BucketStore;
  readonly claims: ClaimStore;
  readonly figures: FiguresObserver;
  readonly consumers: ConsumerLookup;
  readonly observer: DecisionObserver;
  /** Queues another reconcile of a consumer. */
  readonly requeue: (consumerId: string) => void;
}

/** Called once a decision is stored. */
export interface DecisionObserver {
  onDecided?(plane: string, decision: "granted" | "denied", claim: DecidedClaim): void;
  /** All claims were added up from scratch; each drift found is reported after this. */
  onDriftCheck?(): void;
  /** The ledger of a resource type differed from the sum of its claims by this amount. */
  onDrift?(resourceType: string, by: bigint): void;
  /** This many claims of one consumer were decided together. */
  onBatch?(claims: number): void;
  /** A bucket write succeeded, or lost to the write of another client. */
  onBucketWrite?(result: "written" | "overtaken"): void;
  /** The buckets of one consumer were read and its claims recounted. */
  onRecount?(): void;
  /** A claim was created for an existing object without one. */
  onForced?(reason: "adopted" | "repaired" | "grown"): void;
}

export interface DecidedClaim {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly message: string;
  readonly claim: Pick<ResourceClaim, "metadata" | "consumer" | "resource">;
}
