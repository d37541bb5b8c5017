import { soleOwner } from "../../../core/resources/claim-owner.ts";
import type { ClaimRecord } from "../../../views/claim-record.ts";

interface Seen {
  readonly uid: string;
  readonly list: string;
  readonly listMs: number;
  readonly deniedMs: number | undefined;
  /** The candidate that was seen to be stored. */
  readonly landed: string | undefined;
}

/**
 * Since when claims have been as they are, by our own clock, and since we are looking: what other machines say about
 * time is not to be trusted, and nothing is remembered from before. Only claims for which that matters are kept.
 */
export class FirstSeen {
  readonly #elapsedMs: () => number;
  readonly #seen = new Map<string, Seen>();
  /**
   * By the UIDs of claims that were born with their only candidate as owner: that one, once it was seen to be stored. There
   * may be a million of them, and this is all there is to know.
   */
  readonly #landed = new Map<string, string>();

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** To be told of every claim there is, and of every change to one. */
  saw(key: string, claim: ClaimRecord): void {
    if (!isWaiting(claim)) {
      this.forget(key, claim);
      return;
    }
    if (isSettledBy(claim, this.#landed.get(claim.uid))) return;
    const nowMs = this.#elapsedMs();
    const list = claim.automatic?.candidates.join(",") ?? "";
    const before = this.#seen.get(key);
    const isSameClaim = before?.uid === claim.uid;
    const listMs = isSameClaim && before.list === list ? before.listMs : nowMs;
    const deniedMs = claim.state === "denied" ? ((isSameClaim ? before.deniedMs : undefined) ?? nowMs) : undefined;
    const landed = isSameClaim ? before.landed : this.#landed.get(claim.uid);
    this.#landed.delete(claim.uid);
    this.#seen.set(key, { uid: claim.uid, list, listMs, deniedMs, landed });
  }

  /** To be told when the object of that UID was there. */
  sawObject(key: string, claim: ClaimRecord, landed: string): void {
    const seen = this.#seen.get(key);
    if (seen?.uid !== claim.uid || !isListed(claim, landed)) return;
    if (isSettledBy(claim, landed)) {
      this.#seen.delete(key);
      this.#landed.set(claim.uid, landed);
    } else this.#seen.set(key, { ...seen, landed });
  }

  /** The candidate that was there when somebody looked; undefined for one that is not listed any more. */
  landed(key: string, claim: ClaimRecord): string | undefined {
    const seen = this.#seen.get(key);
    const landed = seen?.uid === claim.uid ? seen.landed : this.#landed.get(claim.uid);
    return landed !== undefined && isListed(claim, landed) ? landed : undefined;
  }

  forget(key: string, { uid }: Pick<ClaimRecord, "uid">): void {
    this.#seen.delete(key);
    this.#landed.delete(uid);
  }

  /** How long its list of candidates, and its denial, have been known; no time at all for what was never told of. */
  agesOf(key: string, { uid, automatic }: ClaimRecord): { readonly listSeenMs: number; readonly deniedSeenMs: number } {
    const seen = this.#seen.get(key);
    if (seen?.uid !== uid || seen.list !== automatic?.candidates.join(",")) return { listSeenMs: 0, deniedSeenMs: 0 };
    const nowMs = this.#elapsedMs();
    return { listSeenMs: nowMs - seen.listMs, deniedSeenMs: nowMs - (seen.deniedMs ?? nowMs) };
  }
}

function isListed({ automatic }: ClaimRecord, uid: string): boolean {
  return automatic?.candidates.includes(uid) === true;
}

/** Whether that object was stored is all that there was to find out. */
function isSettledBy({ automatic, state }: ClaimRecord, landed: string | undefined): boolean {
  if (automatic === undefined || landed === undefined || state === "denied" || automatic.bound !== undefined)
    return false;
  return soleOwner(automatic.candidates, automatic.owners) === landed;
}

/** Whether something will be done about a claim when its time has come. */
function isWaiting({ automatic, state }: ClaimRecord): boolean {
  if (automatic === undefined) return false;
  return state === "denied" || automatic.bound === undefined || automatic.candidates.length > 1;
}
