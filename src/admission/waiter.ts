import { candidatesOf } from "../core/resources/claim-candidates.ts";
import type { ResourceClaim } from "../core/resources/resource-claim.ts";
import { isOlder } from "../kube/watch/revision.ts";

/** A claim that somebody waits for, and for which object. */
export interface WantedClaim {
  readonly namespace: string;
  readonly name: string;
  /** UID of the object. */
  readonly candidate: string;
}

/** What became of a claim, to one who waits for it. */
export type WaitResult =
  | { readonly result: "granted" }
  | { readonly result: "denied"; readonly claim: ResourceClaim }
  /** It cannot be decided as things are: something about it is wrong. */
  | { readonly result: "invalid"; readonly claim: ResourceClaim }
  /** It is gone, or no longer for this object: nothing can be said, and it may be tried again. */
  | { readonly result: "lost" }
  | { readonly result: "timeout" };

/**
 * One who waits. It is there before the claim is, by name; from when its UID is known it follows that UID, and what
 * happens to another claim of the name means that this one is gone.
 */
export class Waiter {
  readonly wanted: WantedClaim;
  #uid: string | undefined;
  #followedFrom = "";
  #seen: ResourceClaim | undefined;
  readonly #gone = new Set<string>();
  #settle: (result: WaitResult) => void = () => undefined;
  readonly done: Promise<WaitResult>;

  constructor(wanted: WantedClaim) {
    this.wanted = wanted;
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** The claim is this one, and lists our object since that version of it. */
  follow(claim: ResourceClaim): void {
    const { uid = "", resourceVersion = "" } = claim.metadata;
    const earlier = this.#seen;
    this.#uid = uid;
    this.#followedFrom = resourceVersion;
    if (this.#gone.has(uid)) this.end({ result: "lost" });
    this.#judge(claim);
    if (earlier !== undefined) this.#judge(earlier);
  }

  saw(claim: ResourceClaim): void {
    this.#seen = claim;
    if (this.#uid !== undefined) this.#judge(claim);
  }

  sawGone(uid: string): void {
    this.#gone.add(uid);
    if (this.#uid === uid) this.end({ result: "lost" });
  }

  /** There is no claim of the name. */
  sawNothing(): void {
    if (this.#uid !== undefined) this.end({ result: "lost" });
  }

  end(result: WaitResult): void {
    this.#settle(result);
  }

  #judge(claim: ResourceClaim): void {
    const { uid, resourceVersion = "" } = claim.metadata;
    if (isOlder(resourceVersion, this.#followedFrom)) return; // from before we came to it
    if (uid !== this.#uid || !candidatesOf(claim.metadata).includes(this.wanted.candidate)) {
      this.end({ result: "lost" });
      return;
    }
    switch (claim.answer.state) {
      case "granted":
        this.end({ result: "granted" });
        break;
      case "denied":
        this.end({ result: "denied", claim });
        break;
      case "invalid":
        this.end({ result: "invalid", claim });
        break;
      case "pending":
        break;
      default:
        claim.answer satisfies never;
    }
  }
}
