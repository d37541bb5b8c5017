import type { ClaimPart } from "../core/ledger/claim-knowledge.ts";
import { knowledgeOf } from "../core/ledger/read-claim.ts";
import { candidatesOf, ownersOf } from "../core/resources/claim-candidates.ts";
import { type ConsumerRef, consumerKey } from "../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim, ResourceRef } from "../core/resources/resource-claim.ts";
import { annotations, labels } from "../core/resources/well-known.ts";
import { SharedValues } from "./shared-values.ts";

/** What controllers keep of a claim: little, once it is decided. */
export interface ClaimRecord {
  readonly uid: string;
  readonly version: string;
  readonly consumer: ConsumerRef;
  readonly state: "pending" | "denied" | "granted";
  readonly deleting: boolean;
  /** What it holds; nothing unless it is granted. */
  readonly parts: readonly ClaimPart[];
  /** The claim itself as long as it is undecided. */
  readonly open: ResourceClaim | undefined;
  /** Undefined for claims that people and services make: nobody but them ends these. */
  readonly automatic: AutomaticClaim | undefined;
}

/** A claim that was made for an object. */
export interface AutomaticClaim {
  readonly policy: string;
  /** The control plane of the object, as annotations call it: nothing, for the root. */
  readonly resourcePlane: string;
  readonly resource: ResourceRef;
  /** UIDs of the objects that it may be for. */
  readonly candidates: readonly string[];
  /** UID of the object that it is for, once that is known to be stored; not noted on claims that it owned before that. */
  readonly bound: string | undefined;
  /** UIDs in its owner references. */
  readonly owners: readonly string[];
}

const noParts: readonly ClaimPart[] = [];

/** Makes records. Claims of one consumer share what is the same in all of them, for there may be a million. */
export class ClaimRecords {
  readonly #consumers = new SharedValues<ConsumerRef>();
  readonly #parts = new SharedValues<readonly ClaimPart[]>();
  readonly #texts = new SharedValues<string>();

  of(claim: ResourceClaim): ClaimRecord {
    const { uid = "", resourceVersion = "", deletionTimestamp } = claim.metadata;
    const knowledge = knowledgeOf(claim);
    const state = knowledge.state === "gone" ? "pending" : knowledge.state;
    return {
      uid,
      version: resourceVersion,
      consumer: this.#consumer(claim.consumer),
      state,
      deleting: deletionTimestamp !== undefined,
      parts: knowledge.state === "granted" ? this.#sharedParts(knowledge.parts) : noParts,
      open: state === "pending" ? claim : undefined,
      automatic: this.#automatic(claim),
    };
  }

  /** How many values are kept to be shared. */
  get sharedCount(): number {
    return this.#consumers.size + this.#parts.size + this.#texts.size;
  }

  #consumer(consumer: ConsumerRef): ConsumerRef {
    return this.#consumers.of(consumerKey(consumer), consumer);
  }

  #sharedParts(parts: readonly ClaimPart[]): readonly ClaimPart[] {
    const key = parts.map(({ resourceType, dimensionKey, amount }) => `${resourceType} ${dimensionKey} ${amount}`);
    return this.#parts.of(key.join("\n"), parts);
  }

  #text(text: string): string {
    return this.#texts.of(text, text);
  }

  #automatic({ metadata, resource }: ResourceClaim): AutomaticClaim | undefined {
    if (metadata.labels?.[labels.autoCreated] !== "true" || resource === undefined) return undefined;
    const noted = metadata.annotations ?? {};
    const candidates = candidatesOf(metadata);
    const owners = ownersOf(metadata);
    return {
      policy: this.#text(noted[annotations.policy] ?? ""),
      resourcePlane: this.#text(noted[annotations.resourcePlane] ?? ""),
      resource: {
        apiGroup: this.#text(resource.apiGroup),
        kind: this.#text(resource.kind),
        namespace: this.#text(resource.namespace),
        name: resource.name,
      },
      // Nearly always the one object that it is for. An array that was filtered has room for sixteen more.
      candidates: isSameList(owners, candidates) ? owners : candidates,
      bound: noted[annotations.bound],
      owners,
    };
  }
}

function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}
