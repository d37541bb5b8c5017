import type { AdmissionHistory } from "./admission-history.ts";
import type { Invariant } from "./invariant.ts";
import type { PolicyHistory } from "./policy-history.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { objectsOfClaim, type StoredClaim } from "./stored-claim.ts";

/**
 * I7: no automatic claim is deleted while its object exists or may still be stored, unless it is denied. Manual claims are
 * deleted only by the actors that created them.
 */
export class ClaimsOutliveObjects implements Invariant {
  readonly name = "I7";
  readonly #history: AdmissionHistory;
  readonly #policies: PolicyHistory;
  readonly #createdMs = new Map<string, number>();

  constructor(history: AdmissionHistory, policies: PolicyHistory) {
    this.#history = history;
    this.#policies = policies;
  }

  *violations(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about !== "claim") return;
    if (change.before === undefined) this.#createdMs.set(change.after?.uid ?? "", change.atMs);
    const { before, after } = change;
    if (before === undefined || this.#history.isClaimDeletedByActor(before.uid)) return;
    if (before.automatic === undefined) yield* manualViolations(before, after);
    else if (isEnding(before, after) && before.state !== "denied") {
      yield* this.#endViolations(before, truth, change.atMs);
    }
  }

  *#endViolations(claim: StoredClaim, truth: QuotaTruth, nowMs: number): Generator<string> {
    const policy = claim.automatic?.policy ?? "";
    if (!this.#policies.isUnchangedSince(policy, this.#createdMs.get(claim.uid) ?? 0)) return;
    for (const uid of objectsOfClaim(claim)) {
      if (truth.objects.has(uid) && !this.#history.isObjectEdited(uid))
        yield `claim ${claim.key.name} (${claim.uid}) is deleted, but its object ${uid} exists`;
      if (this.#history.mayStillBeStored(uid, nowMs))
        yield `claim ${claim.key.name} (${claim.uid}) is deleted, but its object ${uid} may still be stored`;
    }
  }
}

/** Deleted, or marked for deletion: a finalizer keeps a bound claim until its object is gone, and no component may delete it before. */
function isEnding(before: StoredClaim, after: StoredClaim | undefined): boolean {
  return after === undefined || (after.deleting && !before.deleting);
}

function* manualViolations({ key, uid }: StoredClaim, after: StoredClaim | undefined): Generator<string> {
  if (after === undefined || after.deleting)
    yield `claim ${key.name} (${uid}) was deleted by the system, not by its creator`;
}
