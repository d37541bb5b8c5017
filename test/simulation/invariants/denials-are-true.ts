import { type Demand, gain, heldBeside, isRegistered, poolsOf } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import type { TrueClaim } from "./true-claim.ts";
import { amountOf, pageId } from "./true-part.ts";

/** No claim is denied that had room at every moment of its life. */
export class DenialsAreTrue implements Invariant {
  readonly name = "I6";
  /** Clocks of machines differ by so much at most: a grant may seem to have expired that early. */
  readonly #clocksDifferMs: number;
  /** Claims that had room at every moment so far, by UID. */
  readonly #alwaysFitted = new Set<string>();

  constructor(clocksDifferMs: number) {
    this.#clocksDifferMs = clocksDifferMs;
  }

  *faults(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about === "object" || change.about === "policy" || change.about === "other") return;
    if (change.about === "claim" && change.after !== undefined && change.after.uid !== change.before?.uid)
      this.#alwaysFitted.add(change.after.uid);
    const seenMs = change.atMs + this.#clocksDifferMs;
    for (const uid of this.#alwaysFitted) {
      const claim = truth.claimByUid(uid);
      if (claim === undefined || claim.state === "granted" || !hasRoom(claim, truth, seenMs))
        this.#alwaysFitted.delete(uid);
      else if (claim.state === "denied") {
        this.#alwaysFitted.delete(uid);
        yield `claim ${claim.key.name} (${uid}) is denied, and had room at every moment of its life`;
      }
    }
  }
}

/** Whether all that a claim asks for fits by itself, beside what is held and promised. */
function hasRoom(claim: TrueClaim, truth: QuotaTruth, nowMs: number): boolean {
  if (!isRegistered(truth, claim)) return false;
  const types = new Set(claim.asked.map(({ resourceType }) => resourceType));
  return [...types].every((resourceType) => hasRoomOn(claim, resourceType, truth, nowMs));
}

function hasRoomOn(claim: TrueClaim, resourceType: string, truth: QuotaTruth, nowMs: number): boolean {
  const id = pageId(claim.key.plane, claim.consumer, resourceType);
  const page = truth.pages.get(id);
  const promised = page?.reservations.filter(({ uid }) => uid !== claim.uid) ?? [];
  const held = heldBeside(truth, id);
  const wanted = claim.asked.filter((part) => part.resourceType === resourceType);
  const pools = poolsOf(truth, id, nowMs);
  const fitsBeside = (use: readonly Demand[]): boolean => gain(pools, use, wanted) === amountOf(wanted);
  // A page may still count claims that are gone. Nobody but the page knows their dimensions: take those that hurt most.
  const gone = (page?.allocated ?? 0n) - amountOf(held);
  const use = [...held, ...promised];
  if (gone <= 0n) return fitsBeside(use);
  return wanted.every((part) => fitsBeside([...use, { ...part, amount: gone }]));
}
