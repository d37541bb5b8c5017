import type { TypeLedger } from "../../../core/ledger/type-ledger.ts";
import { type ConsumerRef, consumerKey } from "../../../core/resources/fields/consumer-ref.ts";

/** A resource type of a consumer in a control plane: one ledger bucket. */
export interface BucketKey {
  readonly plane: string;
  readonly consumer: ConsumerRef;
  readonly resourceType: string;
}

export function bucketId({ plane, consumer, resourceType }: BucketKey): string {
  return `${plane}\n${consumerKey(consumer)}\n${resourceType}`;
}

/** Called by the bucket writer, often. What observers show may be late; no decision reads it. */
export interface FiguresObserver {
  /** `read` returns the figures at the time of the call; undefined once there is no bucket any more. */
  onFiguresChanged(key: BucketKey, read: () => TypeLedger | undefined): void;
}
