import type { ResourceClaim } from "../../core/resources/resource-claim.ts";

type Listener = (plane: string, claim: ResourceClaim) => void;

/**
 * Claims that were made in this process, and have their place in the log of a server in it as well. Whoever decides them
 * need not wait until they are seen: what is written for them can only be there if they are.
 */
export class EarlyClaims {
  readonly #listeners = new Set<Listener>();

  made(plane: string, claim: ResourceClaim): void {
    for (const listener of this.#listeners) listener(plane, claim);
  }

  onMade(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
