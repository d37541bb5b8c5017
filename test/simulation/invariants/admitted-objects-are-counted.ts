import type { AdmissionBook, AdmittingClaim } from "./admission-book.ts";
import type { Invariant } from "./invariant.ts";
import type { PolicyHistory } from "./policy-history.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { objectsOfClaim } from "./true-claim.ts";

/** Every stored object that was let in is listed by a granted claim of each policy that it was let in by. */
export class AdmittedObjectsAreCounted implements Invariant {
  readonly name = "I4";
  readonly #book: AdmissionBook;
  readonly #policies: PolicyHistory;
  readonly #storedMs = new Map<string, number>();

  constructor(book: AdmissionBook, policies: PolicyHistory) {
    this.#book = book;
    this.#policies = policies;
  }

  *faults(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about === "object" && change.before === undefined) {
      const uid = change.after?.object.metadata.uid ?? "";
      this.#storedMs.set(uid, change.atMs);
      yield* this.#uncounted(uid, truth);
    }
    if (change.about !== "claim" || change.before === undefined) return;
    if (this.#book.isEndedByHand(change.before.uid)) return;
    for (const uid of objectsOfClaim(change.before)) if (truth.objects.has(uid)) yield* this.#uncounted(uid, truth);
  }

  *#uncounted(uid: string, truth: QuotaTruth): Generator<string> {
    if (this.#book.isEdited(uid)) return;
    for (const claim of this.#book.claimsBehind(uid) ?? []) {
      const isHeld = this.#isCounted(uid, claim, truth) || this.#book.isEndedByHand(claim.uid);
      const isDue = this.#policies.isUnchangedSince(claim.policy, this.#storedMs.get(uid) ?? 0);
      if (!isHeld && isDue) yield `object ${uid} is stored, and no granted claim of ${claim.policy} lists it`;
    }
  }

  #isCounted(uid: string, { policy }: AdmittingClaim, truth: QuotaTruth): boolean {
    return [...truth.claims.values()].some(
      (claim) => claim.automatic?.policy === policy && objectsOfClaim(claim).includes(uid) && claim.state === "granted",
    );
  }
}

/** Whether an answer to let an object in is backed by what is stored at this moment. */
export function* answerFaults(uid: string, claims: readonly AdmittingClaim[], truth: QuotaTruth): Generator<string> {
  for (const claim of claims) {
    const stored = truth.claimByUid(claim.uid);
    if (stored?.state === "granted" && objectsOfClaim(stored).includes(uid)) continue;
    yield `object ${uid} was let in by claim ${claim.uid}, which is ${stored?.state ?? "gone"}`;
  }
}
