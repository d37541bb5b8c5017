import type { AdmissionBook } from "./admission-book.ts";
import { type Demand, gain, heldBeside, isRegistered, poolsOf } from "./capacity.ts";
import type { Invariant } from "./invariant.ts";
import type { QuotaChange, QuotaTruth } from "./quota-truth.ts";
import { objectsOfClaim, type TrueClaim } from "./true-claim.ts";
import { amountOf, pageId } from "./true-part.ts";

/**
 * No claim is denied that had room at every moment of its life. One that is decided before it is stored lives since somebody
 * began to ask for it: what it would have had room for then is only known if nothing has changed since.
 */
export class DenialsAreTrue implements Invariant {
  readonly name = "I6";
  /** Clocks of machines differ by so much at most: a grant may seem to have expired that early. */
  readonly #clocksDifferMs: number;
  /** Claims that had room at every moment so far, by UID. */
  readonly #alwaysFitted = new Set<string>();
  readonly #book: Pick<AdmissionBook, "begunMs">;
  /** When something about a consumer changed last, or about all of them. */
  readonly #changedMs = new Map<string, number>();

  constructor(clocksDifferMs: number, book: Pick<AdmissionBook, "begunMs">) {
    this.#clocksDifferMs = clocksDifferMs;
    this.#book = book;
  }

  *faults(change: QuotaChange, truth: QuotaTruth): Generator<string> {
    if (change.about === "object" || change.about === "policy" || change.about === "other") return;
    if (change.about === "claim" && change.after !== undefined && change.after.uid !== change.before?.uid) {
      if (!this.#mayHaveFailed(change.after)) this.#alwaysFitted.add(change.after.uid);
    }
    this.#changedMs.set(consumerOf(change), change.atMs);
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

  /** Whether there may have been no room before it was stored, when it may have been decided already. */
  #mayHaveFailed(claim: TrueClaim): boolean {
    const begunMs = objectsOfClaim(claim).flatMap((uid) => this.#book.begunMs(uid) ?? []);
    const changedMs = [consumerText(claim), everybody].flatMap((consumer) => this.#changedMs.get(consumer) ?? []);
    return changedMs.some((atMs) => begunMs.some((sinceMs) => atMs >= sinceMs));
  }
}

const everybody = "";

function consumerOf(change: QuotaChange): string {
  if (change.about !== "claim" && change.about !== "page" && change.about !== "grant") return everybody;
  const thing = change.after ?? change.before;
  return thing === undefined ? everybody : consumerText(thing);
}

function consumerText({ key, consumer }: Pick<TrueClaim, "key" | "consumer">): string {
  return `${key.plane} ${consumer}`;
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
