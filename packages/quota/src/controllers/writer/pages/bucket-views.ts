import type { TypeLedger } from "../../../core/ledger/type-ledger.ts";
import type { ConsumerRef } from "../../../core/resources/fields/consumer-ref.ts";

/** What is shown of a consumer's resource type beside its page. */
export interface BucketKey {
  readonly plane: string;
  readonly consumer: ConsumerRef;
  readonly resourceType: string;
}

/**
 * Shows figures to people: the total, and a bucket for each set of dimensions. Told by the writer of pages whenever
 * figures change, often; what it shows may be late, and no decision reads it.
 */
export interface BucketViews {
  /** `read` gives the figures as they are when it is called; undefined when nobody has or uses this any more. */
  changed(key: BucketKey, read: () => TypeLedger | undefined): void;
}
