import { extendObject } from "@milo-quota/kubernetes/protocol/extend-object.ts";
import type { ClaimKnowledge, ClaimPart } from "../core/ledger/claim-knowledge.ts";
import { knowledgeOf } from "../core/ledger/read-claim.ts";
import { candidatesOf, ownersOf } from "../core/resources/claim-candidates.ts";
import { noAmount } from "../core/resources/fields/amount.ts";
import { type ConsumerRef, consumerKey } from "../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim, ResourceRef } from "../core/resources/resource-claim.ts";
import { annotations, labels } from "../core/resources/well-known.ts";
import { InternCache } from "./intern-cache.ts";

/** The cached part of a claim: small once it is decided. */
export interface ClaimRecord {
  readonly uid: string;
  readonly version: string;
  readonly consumer: ConsumerRef;
  readonly state: "pending" | "denied" | "granted";
  readonly deleting: boolean;
  /** Its allocations; for a denied claim its requests, with the amount 0. */
  readonly parts: readonly ClaimPart[];
  /** The whole claim while it is undecided. */
  readonly open: ResourceClaim | undefined;
  /** Undefined for claims that users and services create: these end with their consumer at the latest. */
  readonly automatic: AutomaticClaim | undefined;
  /** UID of the consumer when the claim was decided. Left out for automatic claims, to save memory. */
  readonly consumerUid?: string;
}

/** The part of a claim that was created for an object. */
export interface AutomaticClaim {
  readonly policy: string;
  /** The label of the object's control plane: empty for the root. */
  readonly resourcePlane: string;
  readonly resource: ResourceRef;
  /** UIDs of the objects that it may be for: attempts to create the same name. */
  readonly candidates: readonly string[];
  /** UID of the stored object it is bound to; not set if the object owned the claim from the start. */
  readonly bound: string | undefined;
  /** UIDs in its owner references. */
  readonly owners: readonly string[];
}

const noParts: readonly ClaimPart[] = [];

/** Creates records that share equal values, because there may be a million. */
export class ClaimRecords {
  readonly #consumers = new InternCache<ConsumerRef>();
  readonly #parts = new InternCache<readonly ClaimPart[]>();
  readonly #strings = new InternCache<string>();

  of(claim: ResourceClaim): ClaimRecord {
    const { uid = "", resourceVersion = "", deletionTimestamp } = claim.metadata;
    const knowledge = knowledgeOf(claim);
    const state = knowledge.state === "gone" ? "pending" : knowledge.state;
    const automatic = this.#automatic(claim);
    const { consumerUID } = claim.status;
    const record: ClaimRecord = {
      uid,
      version: resourceVersion,
      consumer: this.#consumers.intern(consumerKey(claim.consumer), claim.consumer),
      state,
      deleting: deletionTimestamp !== undefined,
      parts: this.#partsOf(claim, knowledge),
      open: state === "pending" ? claim : undefined,
      automatic,
    };
    if (automatic !== undefined || consumerUID === undefined) return record;
    return extendObject(record, { consumerUid: this.#intern(consumerUID) });
  }

  get internedCount(): number {
    return this.#consumers.size + this.#parts.size + this.#strings.size;
  }

  #partsOf({ requests }: ResourceClaim, knowledge: ClaimKnowledge): readonly ClaimPart[] {
    if (knowledge.state === "granted") return this.#internParts(knowledge.parts);
    if (knowledge.state !== "denied") return noParts;
    return this.#internParts(
      requests.map(({ resourceType, dimensionKey }) => ({ resourceType, dimensionKey, amount: noAmount })),
    );
  }

  #internParts(parts: readonly ClaimPart[]): readonly ClaimPart[] {
    const key = parts.map(({ resourceType, dimensionKey, amount }) => `${resourceType} ${dimensionKey} ${amount}`);
    return this.#parts.intern(key.join("\n"), parts);
  }

  #intern(text: string): string {
    return this.#strings.intern(text, text);
  }

  #automatic({ metadata, resource }: ResourceClaim): AutomaticClaim | undefined {
    if (metadata.labels?.[labels.autoCreated] !== "true" || resource === undefined) return undefined;
    const { annotations: notes = {} } = metadata;
    const candidates = candidatesOf(metadata);
    const owners = ownersOf(metadata);
    return {
      policy: this.#intern(notes[annotations.policy] ?? ""),
      resourcePlane: this.#intern(notes[annotations.resourcePlane] ?? ""),
      resource: {
        apiGroup: this.#intern(resource.apiGroup),
        kind: this.#intern(resource.kind),
        namespace: this.#intern(resource.namespace),
        name: resource.name,
      },
      // Nearly always equal. `owners` has the exact capacity, while a filtered array has room for sixteen more items.
      candidates: isSameList(owners, candidates) ? owners : candidates,
      bound: notes[annotations.bound],
      owners,
    };
  }
}

function isSameList(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((each, at) => each === right[at]);
}
