import { soleOwner } from "../../../core/resources/claim-owner.ts";
import type { ClaimRecord } from "../../../views/claim-record.ts";

interface Entry {
  readonly uid: string;
  readonly candidates: string;
  readonly candidatesSinceMs: number;
  readonly deniedSinceMs: number | undefined;
  /** The candidate that was observed to be stored. */
  readonly storedCandidate: string | undefined;
}

/**
 * Since when claims have been in their current state, measured by the clock of this process from its first observation on:
 * timestamps of other machines are not reliable. Holds only claims for which a delay matters.
 */
export class ClaimHistory {
  readonly #elapsedMs: () => number;
  readonly #entries = new Map<string, Entry>();
  /**
   * The stored candidate by claim UID, for claims whose only candidate owns them. There may be a million of these, so that
   * they get no entry.
   */
  readonly #storedCandidates = new Map<string, string>();

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** Call it for every claim and every change to one; `id` is the object ID of the claim. */
  observe(id: string, claim: ClaimRecord): void {
    if (!needsDelay(claim)) {
      this.forget(id, claim);
      return;
    }
    if (isSettledBy(claim, this.#storedCandidates.get(claim.uid))) return;
    const nowMs = this.#elapsedMs();
    const { uid } = claim;
    const candidates = claim.automatic?.candidates.join(",") ?? "";
    const entry = this.#entries.get(id);
    const before = entry?.uid === uid ? entry : undefined;
    const candidatesSinceMs = before?.candidates === candidates ? before.candidatesSinceMs : nowMs;
    const deniedSinceMs = claim.state === "denied" ? (before?.deniedSinceMs ?? nowMs) : undefined;
    const storedCandidate = before === undefined ? this.#storedCandidates.get(uid) : before.storedCandidate;
    this.#storedCandidates.delete(uid);
    this.#entries.set(id, { uid, candidates, candidatesSinceMs, deniedSinceMs, storedCandidate });
  }

  /** The object with this UID exists. */
  observeObject(id: string, claim: ClaimRecord, objectUid: string): void {
    const entry = this.#entries.get(id);
    if (entry?.uid !== claim.uid || !isCandidate(claim, objectUid)) return;
    if (isSettledBy(claim, objectUid)) {
      this.#entries.delete(id);
      this.#storedCandidates.set(claim.uid, objectUid);
    } else this.#entries.set(id, { ...entry, storedCandidate: objectUid });
  }

  /** The candidate that was observed to be stored; undefined if the claim does not list it any more. */
  storedCandidate(id: string, claim: ClaimRecord): string | undefined {
    const entry = this.#entries.get(id);
    const stored = entry?.uid === claim.uid ? entry.storedCandidate : this.#storedCandidates.get(claim.uid);
    return stored !== undefined && isCandidate(claim, stored) ? stored : undefined;
  }

  forget(id: string, { uid }: Pick<ClaimRecord, "uid">): void {
    this.#entries.delete(id);
    this.#storedCandidates.delete(uid);
  }

  /** How long its list of candidates, and its denial, have been observed; 0 without an observation. */
  agesOf(
    id: string,
    { uid, automatic }: ClaimRecord,
  ): { readonly candidatesAgeMs: number; readonly deniedAgeMs: number } {
    const entry = this.#entries.get(id);
    if (entry?.uid !== uid || entry.candidates !== automatic?.candidates.join(",")) {
      return { candidatesAgeMs: 0, deniedAgeMs: 0 };
    }
    const nowMs = this.#elapsedMs();
    return {
      candidatesAgeMs: nowMs - entry.candidatesSinceMs,
      deniedAgeMs: nowMs - (entry.deniedSinceMs ?? nowMs),
    };
  }
}

function isCandidate({ automatic }: ClaimRecord, uid: string): boolean {
  return automatic?.candidates.includes(uid) === true;
}

/** Whether nothing is left to observe once this candidate is stored: it is the only one, and owns the claim. */
function isSettledBy({ automatic, state }: ClaimRecord, stored: string | undefined): boolean {
  if (automatic === undefined || stored === undefined || state === "denied" || automatic.bound !== undefined)
    return false;
  return soleOwner(automatic.candidates, automatic.owners) === stored;
}

/** Whether a later step for the claim depends on a delay. */
function needsDelay({ automatic, state }: ClaimRecord): boolean {
  if (automatic === undefined) return false;
  return state === "denied" || automatic.bound === undefined || automatic.candidates.length > 1;
}
