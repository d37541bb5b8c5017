import { least, minus, partOf, plus, times } from "../../core/ledger/arithmetic.ts";
import type { OpenClaim } from "../../core/ledger/page.ts";
import { type Amount, noAmount } from "../../core/resources/amount.ts";
import type { LogPlace } from "../../protocol/log-place.ts";

/** Who came within this time comes again: what is not taken by then is given back. */
const busyMs = 1_500;
/** So many times as much is kept as came since the page was written last; and no more than this part of what is left. */
const growth = 4n;
const partMax = 4n;

interface Kept {
  /** Where we wrote the page last. */
  readonly place: LogPlace;
  readonly writtenMs: number;
  /** Whether something had come before that. */
  readonly isBusy: boolean;
  /** What nobody has taken yet. */
  left: Amount;
  /** What claims have taken that are not known to be there. */
  taken: Amount;
  /** What came since the page was written. */
  came: Amount;
}

/**
 * What the pages of a desk keep for claims that are yet to come. While many come, one write of a page is enough for all of
 * a second: a claim that takes of this is stored as granted, as long as the page is the newest, and counted by the next write.
 */
export class Ahead {
  readonly #kept = new Map<string, Kept>();

  /** Whether so much is kept for such claims as this one asks for. */
  covers(claim: OpenClaim): boolean {
    const part = partThatMayTake(claim);
    if (part === undefined) return false;
    const kept = this.#kept.get(part.resourceType);
    return kept !== undefined && kept.left >= part.amount;
  }

  /** Takes what a claim asks for, if so much is kept. */
  take(claim: OpenClaim): boolean {
    const part = partThatMayTake(claim);
    const kept = this.#kept.get(part?.resourceType ?? "");
    if (part === undefined || kept === undefined || !this.covers(claim)) return false;
    kept.left = minus(kept.left, part.amount);
    kept.taken = plus(kept.taken, part.amount);
    kept.came = plus(kept.came, part.amount);
    return true;
  }

  /** Whether we have written the page since it was counted. */
  hasPlace(type: string): boolean {
    return this.#kept.has(type);
  }

  /** Where the pages of a claim are that has taken something: nowhere, when somebody else may have written them. */
  placesOf({ parts }: OpenClaim): readonly LogPlace[] {
    return parts.flatMap(({ resourceType }) => this.#kept.get(resourceType)?.place ?? []);
  }

  /** A claim that has taken something is there, or is not and will not be. */
  settled({ parts }: OpenClaim): void {
    for (const { resourceType, amount } of parts) {
      const kept = this.#kept.get(resourceType);
      if (kept !== undefined) kept.taken = minus(kept.taken, amount);
    }
  }

  /** A claim comes by a write of its pages. More like it may take of what they keep from now on. */
  comes(claim: OpenClaim): void {
    const part = partThatMayTake(claim);
    const kept = this.#kept.get(part?.resourceType ?? "");
    if (part !== undefined && kept !== undefined) kept.came = plus(kept.came, part.amount);
  }

  /** How much the next version of a page keeps of what is available. */
  wanted(type: string, available: Amount, nowMs: number): Amount {
    const { taken, came, writtenMs, isBusy } = this.#kept.get(type) ?? nothing;
    const isBusyStill = isBusy && nowMs - writtenMs < busyMs;
    const more = isBusyStill ? least(times(came, growth), partOf(available, partMax)) : noAmount;
    return plus(taken, more);
  }

  /** A page that keeps so much has its place, and is the newest. */
  ordered(type: string, ahead: Amount, place: LogPlace, nowMs: number): void {
    const { taken, came } = this.#kept.get(type) ?? nothing;
    const isBusy = came > 0n;
    this.#kept.set(type, { place, writtenMs: nowMs, isBusy, left: minus(ahead, taken), taken, came: noAmount });
  }

  /** Nothing is kept any more by what we know. To be called when nobody is under way. */
  clear(): void {
    this.#kept.clear();
  }
}

/** What a claim asks for, if it is one of those that a page keeps something for: on one page, without dimensions. */
function partThatMayTake({ parts }: OpenClaim): OpenClaim["parts"][number] | undefined {
  const [part] = parts;
  return parts.length === 1 && part?.dimensionKey === "" ? part : undefined;
}

const nothing: Omit<Kept, "place" | "left"> = {
  writtenMs: Number.NEGATIVE_INFINITY,
  isBusy: false,
  taken: noAmount,
  came: noAmount,
};
