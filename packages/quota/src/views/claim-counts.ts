import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { ClaimRecord } from "./claim-record.ts";

/** The number of claims in each state, kept up to date incrementally: there may be too many to iterate over. */
export class ClaimCounts {
  readonly #counts = { pending: 0, granted: 0, denied: 0 };

  constructor(claims: Pick<Informer<unknown, ClaimRecord>, "subscribe">) {
    claims.subscribe({
      onAdd: (_, { state }) => this.#count(state, 1),
      onUpdate: (_, before, now) => {
        this.#count(before.state, -1);
        this.#count(now.state, 1);
      },
      onDelete: (_, { state }) => this.#count(state, -1),
    });
  }

  get byState(): Readonly<Record<ClaimRecord["state"], number>> {
    return { ...this.#counts };
  }

  #count(state: ClaimRecord["state"], by: number): void {
    this.#counts[state] += by;
  }
}
