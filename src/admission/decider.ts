import type { ResourceClaim } from "../core/resources/resource-claim.ts";
import type { Birth } from "../protocol/log-place.ts";

/** Who decides claims in the process of admission, where the server is in it as well. */
export interface Decider {
  /**
   * Decides a claim that is about to be stored, if it can be promised what it asks for at once: it is then stored with
   * that, if nothing comes in between. `stored` is what was stored in the end; undefined if nothing was.
   */
  decide(plane: string, claim: ResourceClaim, stored: Promise<ResourceClaim | undefined>): Promise<Birth | undefined>;
  /** There is a claim that somebody waits for, and nobody has decided: nobody need wait until it is seen. */
  made(plane: string, claim: ResourceClaim): void;
}

/** Nobody in this process: claims are seen, and decided then. */
export const decidedElsewhere: Decider = {
  decide: () => Promise.resolve(undefined),
  made: () => undefined,
};
