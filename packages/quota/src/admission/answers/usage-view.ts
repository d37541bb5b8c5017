import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import type { ShortPart } from "../../core/ledger/settle.ts";
import type { Figures } from "../../core/ledger/type-ledger.ts";
import type { ConsumerRef } from "../../core/resources/fields/consumer-ref.ts";

/** A consumer, and the control plane that its quota is in. */
export interface QuotaOwner {
  readonly plane: string;
  readonly consumer: ConsumerRef;
}

export interface QuotaKey extends QuotaOwner {
  readonly resourceType: string;
}

/** The usage that the bucket writer of this process knows. */
export interface UsageView {
  /** Whether this process has the only bucket writer. Then stored buckets hold nothing that this view does not know. */
  readonly isSoleWriter: boolean;
  /** Undefined when this process does not know the consumer. */
  figuresOf(key: QuotaKey, dimensionKey: string): Figures | undefined;
  /**
   * The shortages of each of these claims, if they were created now: each is decided as a whole, after those before it.
   * Undefined when this process does not know the consumer.
   */
  shortOf(owner: QuotaOwner, claims: readonly (readonly ClaimPart[])[]): readonly (readonly ShortPart[])[] | undefined;
}

export const unknownUsage: UsageView = {
  isSoleWriter: false,
  figuresOf: () => undefined,
  shortOf: () => undefined,
};
