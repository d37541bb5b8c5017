import { isOlder } from "@milo-quota/kubernetes/client/watch/revision.ts";
import { candidatesOf } from "../../core/resources/claim-candidates.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";

/** The claim that a waiter waits for, and its object. */
export interface WantedClaim {
  readonly namespace: string;
  readonly name: string;
  /** UID of the object. */
  readonly candidate: string;
}

export type WaitResult =
  | { readonly result: "granted" }
  | { readonly result: "denied"; readonly claim: ResourceClaim }
  /** The claim cannot be decided until it, or an object it refers to, is fixed. */
  | { readonly result: "invalid"; readonly claim: ResourceClaim }
  /** The claim was deleted, or no longer lists the object. The request may be retried. */
  | { readonly result: "lost" }
  | { readonly result: "timeout" };

/** What an event means to a waiter: the end of its wait, nothing yet, or nothing at all. */
export type EventMeaning = Exclude<WaitResult["result"], "timeout"> | "pending" | "ignored";

/**
 * Waits for the decision of a claim. A waiter is registered by name before the claim is created. Once the UID of the claim is
 * known the waiter follows that UID, and an event of another claim of the name means that this one was deleted.
 */
export class Waiter {
  readonly wanted: WantedClaim;
  #uid: string | undefined;
  /** The resource version from which on the claim lists our object. */
  #followedFrom = "";
  #lastSeen: ResourceClaim | undefined;
  readonly #deletedUids = new Set<string>();
  #settle: (result: WaitResult) => void = () => undefined;
  readonly done: Promise<WaitResult>;

  constructor(wanted: WantedClaim) {
    this.wanted = wanted;
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  /** UID of the claim, once `follow` was called. */
  get followed(): string | undefined {
    return this.#uid;
  }

  /** To be called with the version of the claim that lists our object for the first time. */
  follow(claim: ResourceClaim): void {
    const { uid = "", resourceVersion = "" } = claim.metadata;
    const earlier = this.#lastSeen;
    this.#uid = uid;
    this.#followedFrom = resourceVersion;
    if (this.#deletedUids.has(uid)) this.end({ result: "lost" });
    this.#evaluate(claim);
    if (earlier !== undefined) this.#evaluate(earlier);
  }

  /** Before `follow`, the meaning of an event is unknown. */
  onClaim(claim: ResourceClaim): EventMeaning {
    this.#lastSeen = claim;
    return this.#uid === undefined ? "pending" : this.#evaluate(claim);
  }

  onDeleted(uid: string): EventMeaning {
    this.#deletedUids.add(uid);
    return this.#uid === uid ? this.end({ result: "lost" }) : "ignored";
  }

  /** A read found no claim of the name. `uid` is what `followed` was when the read started. */
  onNotFound(uid: string | undefined): EventMeaning {
    return uid !== undefined && uid === this.#uid ? this.end({ result: "lost" }) : "ignored";
  }

  /** Only the first result counts. */
  end<Result extends WaitResult>(result: Result): Result["result"] {
    this.#settle(result);
    return result.result;
  }

  #evaluate(claim: ResourceClaim): EventMeaning {
    const { uid, resourceVersion = "" } = claim.metadata;
    if (isOlder(resourceVersion, this.#followedFrom)) return "ignored"; // before the claim listed our object
    const isOurs = uid === this.#uid && candidatesOf(claim.metadata).includes(this.wanted.candidate);
    if (!isOurs) return this.end({ result: "lost" });
    switch (claim.decision.state) {
      case "granted":
        return this.end({ result: "granted" });
      case "denied":
        return this.end({ result: "denied", claim });
      case "invalid":
        return this.end({ result: "invalid", claim });
      case "pending":
        return "pending";
      default:
        throw new Error(`unknown decision ${claim.decision satisfies never}`);
    }
  }
}
