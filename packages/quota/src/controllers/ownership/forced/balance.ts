import { least, minus, minusOrNone, plus } from "../../../core/ledger/arithmetic.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { type Amount, noAmount } from "../../../core/resources/fields/amount.ts";
import { type ConsumerRef, consumerKey } from "../../../core/resources/fields/consumer-ref.ts";
import type { ClaimVersion } from "../claims/claim-writer.ts";

/** A claim of an object by a policy, with its allocations, or its requests while it is pending. */
export interface HeldClaim extends ClaimVersion {
  readonly consumer: ConsumerRef;
  readonly parts: readonly ClaimPart[];
}

export interface Needed {
  readonly consumer: ConsumerRef;
  readonly parts: readonly ClaimPart[];
}

/** The difference between what the claims of an object hold and what it needs. */
export interface Balance {
  /** Needed, but not held by any claim. */
  readonly missing: readonly ClaimPart[];
  /** Claims that hold nothing needed. */
  readonly superfluous: readonly HeldClaim[];
  /** Claims that hold too much, with the parts they should hold. */
  readonly oversized: readonly { readonly claim: HeldClaim; readonly parts: readonly ClaimPart[] }[];
}

/**
 * Compares, for each consumer, resource type and dimensions, what is needed with what all claims hold together. The result
 * does not depend on the order of the claims: two processes that act on the same claims must not release different ones.
 */
export function balance(needed: Needed | undefined, claims: readonly HeldClaim[]): Balance {
  const inOrder = [...claims].sort((one, other) => (one.uid < other.uid ? -1 : 1));
  const wanted = new Amounts();
  if (needed !== undefined) wanted.add(needed);
  const held = new Amounts();
  for (const claim of inOrder) held.add(claim);
  const missing = (needed?.parts ?? []).flatMap((part) => {
    const amount = minusOrNone(part.amount, held.of(needed?.consumer, part));
    return amount > 0n ? [{ ...part, amount }] : [];
  });
  const surplus = held.beyond(wanted);
  const superfluous = inOrder.filter((claim) => surplus.takeWhole(claim));
  const left = inOrder.filter((claim) => !superfluous.includes(claim));
  const oversized = left.flatMap((claim) => {
    const parts = claim.parts.map((part) => ({
      ...part,
      amount: minus(part.amount, surplus.take(claim.consumer, part)),
    }));
    return parts.some(({ amount }, at) => amount !== claim.parts[at]?.amount) ? [{ claim, parts }] : [];
  });
  return { missing, superfluous, oversized };
}

/** Amounts by consumer, resource type and dimensions. */
class Amounts {
  readonly #amounts = new Map<string, Amount>();

  of(consumer: ConsumerRef | undefined, part: ClaimPart): Amount {
    return (consumer && this.#amounts.get(keyOf(consumer, part))) ?? noAmount;
  }

  add({ consumer, parts }: Needed): void {
    for (const part of parts) {
      this.#amounts.set(keyOf(consumer, part), plus(this.of(consumer, part), part.amount));
    }
  }

  beyond(others: Amounts): Amounts {
    const difference = new Amounts();
    for (const [key, amount] of this.#amounts) {
      difference.#amounts.set(key, minusOrNone(amount, others.#amounts.get(key) ?? noAmount));
    }
    return difference;
  }

  /** Subtracts everything that a claim holds, if all of it is available. */
  takeWhole({ consumer, parts }: HeldClaim): boolean {
    if (parts.some((part) => part.amount > this.of(consumer, part))) return false;
    for (const part of parts) this.take(consumer, part);
    return true;
  }

  /** Subtracts as much of this part as is available, and returns it. */
  take(consumer: ConsumerRef, part: ClaimPart): Amount {
    const taken = least(part.amount, this.of(consumer, part));
    this.#amounts.set(keyOf(consumer, part), minus(this.of(consumer, part), taken));
    return taken;
  }
}

function keyOf(consumer: ConsumerRef, { resourceType, dimensionKey }: ClaimPart): string {
  return `${consumerKey(consumer)}\n${resourceType}\n${dimensionKey}`;
}
