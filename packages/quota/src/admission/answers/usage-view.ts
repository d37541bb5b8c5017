import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import type { ShortPart } from "../../core/ledger/settle.ts";
import type { Figures } from "../../core/ledger/type-ledger.ts";
import type { ConsumerRef } from "../../core/resources/fields/consumer-ref.ts";

/** Whose quota, and in which plane. */
export interface QuotaOwner {
  readonly plane: string;
  readonly consumer: ConsumerRef;
}

/** Whose quota of what, and in which plane. */
export interface QuotaKey extends QuotaOwner {
  readonly resourceType: string;
}

/** What is known in this process of how much is used. Only whoever writes the pages knows. */
export interface UsageView {
  /** Whether nobody else writes pages: what this process does not know is then nowhere to be read either. */
  readonly isAlone: boolean;
  /** Undefined when this process does not know. */
  figuresOf(key: QuotaKey, dimensionKey: string): Figures | undefined;
  /**
   * What would not fit of claims that nobody has made, claim by claim: each as a whole, beside those before it that fit.
   * Undefined when this process does not know.
   */
  shortOf(owner: QuotaOwner, claims: readonly (readonly ClaimPart[])[]): readonly (readonly ShortPart[])[] | undefined;
}

export const unknownUsage: UsageView = {
  isAlone: false,
  figuresOf: () => undefined,
  shortOf: () => undefined,
};
