import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { Birth } from "../../protocol/log-place.ts";

type Stored = Promise<ResourceClaim | undefined>;

/** Who decides claims while this process leads. */
interface EarlyWriter {
  /**
   * Promises a claim that is about to be stored what it asks for, if that can be done at once. Whoever stores it says what
   * was stored in the end, durably; undefined if nothing was.
   */
  decide(plane: string, claim: ResourceClaim, stored: Stored): Promise<Birth | undefined>;
  made(plane: string, claim: ResourceClaim): void;
}

/**
 * Claims that are made in this process, on a server in it as well. Whoever decides them need not wait until they are seen,
 * nor until they are there: what is written for them has its place in the same log.
 */
export class EarlyClaims {
  #writer: EarlyWriter | undefined;

  async decide(plane: string, claim: ResourceClaim, stored: Stored): Promise<Birth | undefined> {
    return this.#writer?.decide(plane, claim, stored);
  }

  /** It has its place in the log, undecided. */
  made(plane: string, claim: ResourceClaim): void {
    this.#writer?.made(plane, claim);
  }

  /** Returns how to end it. */
  tell(writer: EarlyWriter): () => void {
    this.#writer = writer;
    return () => {
      if (this.#writer === writer) this.#writer = undefined;
    };
  }
}
