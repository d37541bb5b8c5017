import type { AdmissionHistory, AdmittingClaim } from "./admission-history.ts";
import type { Invariant } from "./invariant.ts";
import type { PolicyHistory } from "./policy-history.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { objectsOfClaim } from "./stored-claim.ts";

/** I4: every stored object that admission allowed is listed by a granted claim of each policy that governs it. */
export class AdmittedObjectsAreCounted implements Invariant {
  readonly name = "I4";
  readonly #history: AdmissionHistory;
  readonly #policies: PolicyHistory;
  readonly #storedMs = new Map<string, number>();

  constructor(history: AdmissionHistory, policies: PolicyHistory) {
    this.#history = history;
    this.#policies = policies;
  }

  *violations(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about === "object" && change.before === undefined) {
      const uid = change.after?.object.metadata.uid ?? "";
      this.#storedMs.set(uid, change.atMs);
      yield* this.#uncounted(uid, truth);
    }
    if (change.about !== "claim" || change.before === undefined) return;
    if (this.#history.isClaimDeletedByActor(change.before.uid)) return;
    for (const uid of objectsOfClaim(change.before)) if (truth.objects.has(uid)) yield* this.#uncounted(uid, truth);
  }

  *#uncounted(uid: string, truth: QuotaTruth): Generator<string> {
    if (this.#history.isObjectEdited(uid)) return;
    for (const claim of this.#history.admittingClaims(uid) ?? []) {
      const isHeld = this.#isCounted(uid, claim, truth) || this.#history.isClaimDeletedByActor(claim.uid);
      const isDue = this.#policies.isUnchangedSince(claim.policy, this.#storedMs.get(uid) ?? 0);
      if (!isHeld && isDue) yield `object ${uid} is stored, but no granted claim of ${claim.policy} lists it`;
    }
  }

  #isCounted(uid: string, { policy }: AdmittingClaim, truth: QuotaTruth): boolean {
    return [...truth.claims.values()].some(
      (claim) => claim.automatic?.policy === policy && objectsOfClaim(claim).includes(uid) && claim.state === "granted",
    );
  }
}

/** I5: when admission allows an object, granted claims that list it are stored. */
export function* admissionViolations(
  uid: string,
  claims: readonly AdmittingClaim[],
  truth: QuotaTruth,
): Generator<string> {
  for (const claim of claims) {
    const stored = truth.claimByUid(claim.uid);
    if (stored?.state === "granted" && objectsOfClaim(stored).includes(uid)) continue;
    yield `object ${uid} was admitted by claim ${claim.uid}, which is ${stored?.state ?? "gone"}`;
  }
}
