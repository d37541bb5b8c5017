import type { Informer } from "@milo-quota/kubernetes/client/watch/informer.ts";
import type { ClaimRecord } from "./claim-record.ts";

/** How many claims there are in each state, counted as they change: there may be too many to go through them. */
export class ClaimCounts {
  readonly #counts = { pending: 0, granted: 0, denied: 0 };

  constructor(claims: Pick<Informer<unknown, ClaimRecord>, "subscribe">) {
    claims.subscribe({
      added: (_, { state }) => this.#count(state, 1),
      changed: (_, before, now) => {
        this.#count(before.state, -1);
        this.#count(now.state, 1);
      },
      removed: (_, { state }) => this.#count(state, -1),
    });
  }

  get byState(): Readonly<Record<ClaimRecord["state"], number>> {
    return { ...this.#counts };
  }

  #count(state: ClaimRecord["state"], by: number): void {
    this.#counts[state] += by;
  }
}
