import type { Figures } from "../core/ledger/page-book.ts";
import type { ConsumerRef } from "../core/resources/consumer-ref.ts";

/** Whose quota of what, and in which plane. */
export interface QuotaKey {
  readonly plane: string;
  readonly consumer: ConsumerRef;
  readonly resourceType: string;
}

/** What is known in this process of how much is used. Only whoever writes the pages knows. */
export interface UsageView {
  /** Undefined when this process does not know. */
  figuresOf(key: QuotaKey, dimensionKey: string): Figures | undefined;
}

export const unknownUsage: UsageView = { figuresOf: () => undefined };
