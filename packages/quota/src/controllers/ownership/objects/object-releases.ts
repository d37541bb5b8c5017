import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { soleOwner } from "../../../core/resources/claim-owner.ts";
import type { ConsumerRef } from "../../../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { type ClaimRecord, ClaimRecords } from "../../../views/claim-record.ts";
import { objectId } from "../../object-id.ts";
import type { ReleasedClaim } from "../../writer/transactions/ticket.ts";
import type { ClaimEntry, ClaimIndex } from "../claims/claim-index.ts";
import { balance } from "../forced/balance.ts";
import type { ObjectAddress } from "./object-address.ts";

/** What an object will need by a policy; undefined: nothing. */
export interface PolicyNeed {
  readonly policy: string;
  readonly needed: { readonly consumer: ConsumerRef; readonly parts: readonly ClaimPart[] } | undefined;
}

/** The claims in the store, which is ahead of the cache. */
export interface StoredClaims {
  versionOf(key: PlaneObjectKey): string | undefined;
  get(key: PlaneObjectKey): ResourceClaim | undefined;
}

/** The cache is behind the store by a turn of the event loop only. */
const recentMax = 1_000;

/**
 * Determines what the claims of an object release in the transaction that updates or deletes the object. Uses the cache to
 * find these claims, and the store to read them: with the cache alone, the second of two changes in a row would release the
 * same amounts again.
 */
export class ObjectReleases {
  readonly #claims: Pick<ClaimIndex, "of">;
  readonly #records = new ClaimRecords();
  /** Claims that were stored together with an object, by its UID: they may not be in the cache yet. */
  readonly #recent = new Map<string, readonly PlaneObjectKey[]>();

  constructor(claims: Pick<ClaimIndex, "of">) {
    this.#claims = claims;
  }

  /** An object was stored together with these claims. */
  recordClaims(uid: string, claims: readonly PlaneObjectKey[]): void {
    const earlier = this.#recent.get(uid) ?? [];
    this.#recent.delete(uid);
    this.#recent.set(uid, [...earlier, ...claims]);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > recentMax && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** Releases all claims that are for this object alone. */
  onRemoval(address: ObjectAddress, uid: string, stored: StoredClaims): readonly ReleasedClaim[] {
    const bound = this.#claimsOf(address, uid, stored).filter(([, record]) => isFor(record, uid));
    return bound.map((entry) => released(entry, undefined));
  }

  /** Releases what the object no longer needs. Undecided claims are left to the reconcilers. */
  onChange(
    address: ObjectAddress,
    uid: string,
    needs: readonly PolicyNeed[],
    stored: StoredClaims,
  ): readonly ReleasedClaim[] {
    const all = this.#claimsOf(address, uid, stored);
    return needs.flatMap(({ policy, needed }) => {
      const own = all.filter(([, { automatic, state }]) => automatic?.policy === policy && state !== "denied");
      if (!own.every(([, record]) => isFor(record, uid) && !record.deleting)) return [];
      const held = own.map(([key, { uid: claim, version, consumer, parts }]) => {
        return { key, uid: claim, version, consumer, parts };
      });
      const { superfluous, oversized } = balance(needed, held);
      const entryOf = (claim: string): ClaimEntry => own.find(([, record]) => record.uid === claim) as ClaimEntry;
      return [
        ...superfluous.map((claim) => released(entryOf(claim.uid), undefined)),
        ...oversized.map(({ claim, parts }) => released(entryOf(claim.uid), parts)),
      ];
    });
  }

  #claimsOf(address: ObjectAddress, uid: string, stored: StoredClaims): readonly ClaimEntry[] {
    const cached = this.#claims.of(address);
    const cachedIds = new Set(cached.map(([key]) => objectId(key)));
    const uncached = (this.#recent.get(uid) ?? []).filter((key) => !cachedIds.has(objectId(key)));
    return [...cached, ...uncached.map((key) => [key, undefined] as const)].flatMap(([key, record]) => {
      if (record !== undefined && record.version === stored.versionOf(key)) return [[key, record] as const];
      const claim = stored.get(key);
      return claim === undefined ? [] : [[key, this.#records.of(claim)] as const];
    });
  }
}

/** Whether a claim is granted, and for this object only. */
function isFor({ state, automatic }: ClaimRecord, uid: string): boolean {
  if (state !== "granted" || automatic === undefined) return false;
  const { bound, candidates, owners } = automatic;
  return (bound ?? soleOwner(candidates, owners)) === uid && candidates.every((candidate) => candidate === uid);
}

function released([key, record]: ClaimEntry, left: readonly ClaimPart[] | undefined): ReleasedClaim {
  return { key, uid: record.uid, consumer: record.consumer, held: record.parts, left };
}
