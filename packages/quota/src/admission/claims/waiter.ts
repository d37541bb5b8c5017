import { isOlder } from "@milo-quota/kubernetes/client/watch/revision.ts";
import { candidatesOf } from "../../core/resources/claim-candidates.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";

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

/** What something that was seen means to one who waits: an end, or nothing yet, or nothing at all. */
export type Meaning = Exclude<WaitResult["result"], "timeout"> | "pending" | "ignored";

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

  /** UID of the claim; undefined as long as nobody knows it. */
  get followed(): string | undefined {
    return this.#uid;
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

  /** As long as nobody knows which claim it is, what is seen may mean anything. */
  saw(claim: ResourceClaim): Meaning {
    this.#seen = claim;
    return this.#uid === undefined ? "pending" : this.#judge(claim);
  }

  sawGone(uid: string): Meaning {
    this.#gone.add(uid);
    return this.#uid === uid ? this.end({ result: "lost" }) : "ignored";
  }

  /** There was no claim of the name when somebody looked, who knew at that time that it should have this UID. */
  sawNothing(uid: string | undefined): Meaning {
    return uid !== undefined && uid === this.#uid ? this.end({ result: "lost" }) : "ignored";
  }

  /** The first end counts. */
  end<Result extends WaitResult>(result: Result): Result["result"] {
    this.#settle(result);
    return result.result;
  }

  #judge(claim: ResourceClaim): Meaning {
    const { uid, resourceVersion = "" } = claim.metadata;
    if (isOlder(resourceVersion, this.#followedFrom)) return "ignored"; // from before we came to it
    const isOurs = uid === this.#uid && candidatesOf(claim.metadata).includes(this.wanted.candidate);
    if (!isOurs) return this.end({ result: "lost" });
    switch (claim.answer.state) {
      case "granted":
        return this.end({ result: "granted" });
      case "denied":
        return this.end({ result: "denied", claim });
      case "invalid":
        return this.end({ result: "invalid", claim });
      case "pending":
        return "pending";
      default:
        throw new Error(`unknown answer ${claim.answer satisfies never}`);
    }
  }
}
