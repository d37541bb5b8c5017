import type { AdmissionBook } from "./admission-book.ts";
import type { Invariant } from "./invariant.ts";
import type { PolicyHistory } from "./policy-history.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { objectsOfClaim, type TrueClaim } from "./true-claim.ts";

/**
 * No claim is deleted whose object exists, or may still be stored, unless it holds nothing for it; and nobody but their
 * makers deletes other claims.
 */
export class ClaimsOutliveObjects implements Invariant {
  readonly name = "I7";
  readonly #book: AdmissionBook;
  readonly #policies: PolicyHistory;
  readonly #madeMs = new Map<string, number>();

  constructor(book: AdmissionBook, policies: PolicyHistory) {
    this.#book = book;
    this.#policies = policies;
  }

  *faults(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about !== "claim") return;
    if (change.before === undefined) this.#madeMs.set(change.after?.uid ?? "", change.atMs);
    const { before, after } = change;
    if (before === undefined || this.#book.isEndedByHand(before.uid)) return;
    if (before.automatic === undefined) yield* manualFaults(before, after);
    else if (isEnding(before, after) && before.state !== "denied") {
      yield* this.#endFaults(before, truth, change.atMs);
    }
  }

  *#endFaults(claim: TrueClaim, truth: QuotaTruth, nowMs: number): Generator<string> {
    const policy = claim.automatic?.policy ?? "";
    if (!this.#policies.isUnchangedSince(policy, this.#madeMs.get(claim.uid) ?? 0)) return;
    for (const uid of objectsOfClaim(claim)) {
      if (truth.objects.has(uid) && !this.#book.isEdited(uid))
        yield `claim ${claim.key.name} (${claim.uid}) is deleted, and its object ${uid} exists`;
      if (this.#book.mayLand(uid, nowMs))
        yield `claim ${claim.key.name} (${claim.uid}) is deleted, and its object ${uid} may still be stored`;
    }
  }
}

/** Gone, or on its way: a finalizer keeps a bound claim until its object is gone, and nothing has reason to delete it before. */
function isEnding(before: TrueClaim, after: TrueClaim | undefined): boolean {
  return after === undefined || (after.deleting && !before.deleting);
}

function* manualFaults({ key, uid }: TrueClaim, after: TrueClaim | undefined): Generator<string> {
  if (after === undefined || after.deleting)
    yield `claim ${key.name} (${uid}) is deleted by somebody who did not make it`;
}
