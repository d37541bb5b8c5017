import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { soleOwner } from "../../../core/resources/claim-owner.ts";
import type { ConsumerRef } from "../../../core/resources/fields/consumer-ref.ts";
import type { ResourceClaim } from "../../../core/resources/resource-claim.ts";
import { type ClaimRecord, ClaimRecords } from "../../../views/claim-record.ts";
import type { ReleasedClaim } from "../../writer/transactions/ticket.ts";
import type { ClaimEntry, ClaimRegister } from "../claims/claim-register.ts";
import { balance } from "../forced/balance.ts";
import { type ObjectAddress, placeKey } from "./governed-object.ts";

/** What an object needs by a policy from now on; nothing, when that is left out. */
export interface NeedOfObject {
  readonly policy: string;
  readonly needed: { readonly consumer: ConsumerRef; readonly parts: readonly ClaimPart[] } | undefined;
}

/** Claims as they are stored now. */
export interface StoredClaims {
  versionAt(place: ObjectPlace): string | undefined;
  at(place: ObjectPlace): ResourceClaim | undefined;
}

/** Views are behind by a turn of the event loop, which few objects come in. */
const recentMax = 1_000;

/**
 * What the claims of an object give back in the transaction in which the object changes, or leaves. The view tells where these
 * claims are, and the store what they are: of two changes in a row, the second would still see what the first gave back.
 */
export class ObjectReleases {
  readonly #claims: Pick<ClaimRegister, "of">;
  readonly #records = new ClaimRecords();
  /** Where claims are that came with an object a moment ago, by its UID: the view may not show them yet. */
  readonly #recent = new Map<string, readonly ObjectPlace[]>();

  constructor(claims: Pick<ClaimRegister, "of">) {
    this.#claims = claims;
  }

  /** An object was stored together with these claims. */
  note(uid: string, claims: readonly ObjectPlace[]): void {
    const earlier = this.#recent.get(uid) ?? [];
    this.#recent.delete(uid);
    this.#recent.set(uid, [...earlier, ...claims]);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > recentMax && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** All claims that are for this object alone. */
  onRemoval(address: ObjectAddress, uid: string, stored: StoredClaims): readonly ReleasedClaim[] {
    const bound = this.#claimsOf(address, uid, stored).filter(([, record]) => isFor(record, uid));
    return bound.map((entry) => released(entry, undefined));
  }

  /** Where the object needs less by some policies. What is still being decided is left for later. */
  onChange(
    address: ObjectAddress,
    uid: string,
    needs: readonly NeedOfObject[],
    stored: StoredClaims,
  ): readonly ReleasedClaim[] {
    const all = this.#claimsOf(address, uid, stored);
    return needs.flatMap(({ policy, needed }) => {
      const own = all.filter(([, { automatic, state }]) => automatic?.policy === policy && state !== "denied");
      if (!own.every(([, record]) => isFor(record, uid) && !record.deleting)) return [];
      const held = own.map(([place, { uid: claim, version, consumer, parts }]) => {
        return { place, uid: claim, version, consumer, parts };
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
    const seen = this.#claims.of(address);
    const places = new Set(seen.map(([place]) => placeKey(place)));
    const unseen = (this.#recent.get(uid) ?? []).filter((place) => !places.has(placeKey(place)));
    return [...seen, ...unseen.map((place) => [place, undefined] as const)].flatMap(([place, record]) => {
      if (record !== undefined && record.version === stored.versionAt(place)) return [[place, record] as const];
      const claim = stored.at(place);
      return claim === undefined ? [] : [[place, this.#records.of(claim)] as const];
    });
  }
}

/** Whether a claim is granted, and for this object and no other. */
function isFor({ state, automatic }: ClaimRecord, uid: string): boolean {
  if (state !== "granted" || automatic === undefined) return false;
  const { bound, candidates, owners } = automatic;
  return (bound ?? soleOwner(candidates, owners)) === uid && candidates.every((candidate) => candidate === uid);
}

function released([place, record]: ClaimEntry, left: readonly ClaimPart[] | undefined): ReleasedClaim {
  return { place, uid: record.uid, consumer: record.consumer, held: record.parts, left };
}
