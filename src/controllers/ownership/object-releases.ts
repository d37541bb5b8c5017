import type { ClaimPart } from "../../core/ledger/claim-knowledge.ts";
import { soleOwner } from "../../core/resources/claim-owner.ts";
import type { ConsumerRef } from "../../core/resources/consumer-ref.ts";
import type { ClaimRecord } from "../views/claim-record.ts";
import type { ReleasedClaim } from "../writer/ticket.ts";
import { balance } from "./balance.ts";
import type { ClaimEntry, ClaimRegister } from "./claim-register.ts";
import type { ObjectAddress } from "./governed-object.ts";

/** What an object needs by a policy from now on; nothing, when that is left out. */
export interface NeedOfObject {
  readonly policy: string;
  readonly needed: { readonly consumer: ConsumerRef; readonly parts: readonly ClaimPart[] } | undefined;
}

/** Views are behind by a turn of the event loop, which few objects come in. */
const recentMax = 1_000;

/** What the claims of an object give back in the transaction in which the object changes, or leaves. */
export class ObjectReleases {
  readonly #claims: Pick<ClaimRegister, "of">;
  /** Claims that came with an object a moment ago, by its UID: the view may not show them yet. */
  readonly #recent = new Map<string, readonly ReleasedClaim[]>();

  constructor(claims: Pick<ClaimRegister, "of">) {
    this.#claims = claims;
  }

  /** An object was stored together with these claims. */
  note(uid: string, claims: readonly ReleasedClaim[]): void {
    this.#recent.set(uid, claims);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > recentMax && oldest !== undefined) this.#recent.delete(oldest);
  }

  /** All claims that are for this object alone. */
  onRemoval(address: ObjectAddress, uid: string): readonly ReleasedClaim[] {
    const bound = this.#claims.of(address).filter(([, record]) => isFor(record, uid));
    const known = new Set(bound.map(([, record]) => record.uid));
    const unseen = (this.#recent.get(uid) ?? []).filter((claim) => !known.has(claim.uid));
    return [...bound.map((entry) => released(entry, undefined)), ...unseen];
  }

  /** Where the object needs less by some policies. What is still being decided is left for later. */
  onChange(address: ObjectAddress, uid: string, needs: readonly NeedOfObject[]): readonly ReleasedClaim[] {
    const all = this.#claims.of(address);
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
