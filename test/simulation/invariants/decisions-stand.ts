import type { Invariant } from "./invariant.ts";
import type { QuotaTruth } from "./quota-truth.ts";
import type { TrueClaim } from "./true-claim.ts";
import type { TruePage } from "./true-page.ts";
import { pageId, type TruePart } from "./true-part.ts";

/**
 * A claim is decided once, and granted only while every page holds all of one attempt to grant it. One that is stored as
 * granted has a rule of its own.
 */
export const decisionsStand: Invariant = {
  name: "I3",
  *faults(change, truth) {
    if (change.about !== "claim" || change.after === undefined) return;
    const { before, after } = change;
    const isSame = before !== undefined && before.uid === after.uid;
    if (before !== undefined && !isSame) yield `claim ${after.key.name} became another without having been deleted`;
    if (isSame && isDecided(before)) yield* revisionFaults(before, after);
    else if (before !== undefined && after.state === "granted" && !hasCompleteSet(after, truth))
      yield `claim ${after.key.name} (${after.uid}) is granted, and its pages do not promise all of it together`;
    if (after.state === "granted") yield* holdingFaults(after);
  },
};

function isDecided({ state }: TrueClaim): boolean {
  return state === "granted" || state === "denied";
}

/** What is granted may shrink; nothing else changes. */
function* revisionFaults(before: TrueClaim, after: TrueClaim): Generator<string> {
  if (before.state !== after.state) yield `claim ${after.key.name} was ${before.state} and is ${after.state} now`;
  for (const part of after.held) {
    const had = partLike(before.held, part)?.amount ?? 0n;
    if (part.amount > had) yield `claim ${after.key.name} came to hold ${part.amount} after ${had}`;
  }
}

/** A claim never holds what it did not ask for. */
function* holdingFaults({ key, asked, held }: TrueClaim): Generator<string> {
  for (const part of held) {
    const wanted = partLike(asked, part)?.amount ?? 0n;
    if (part.amount > wanted) yield `claim ${key.name} holds ${part.amount} and asked for ${wanted}`;
  }
}

function partLike(parts: readonly TruePart[], { resourceType, dimensionKey }: TruePart): TruePart | undefined {
  return parts.find((part) => part.resourceType === resourceType && part.dimensionKey === dimensionKey);
}

/** Whether the pages of a claim promise all that it asks for in one attempt. */
function hasCompleteSet(claim: TrueClaim, truth: QuotaTruth): boolean {
  const pages = claim.asked.map(({ resourceType }) =>
    truth.pages.get(pageId(claim.key.plane, claim.consumer, resourceType)),
  );
  const sets = new Set(
    pages.flatMap((page) => page?.reservations.filter(({ uid }) => uid === claim.uid) ?? []).map(({ set }) => set),
  );
  return [...sets].some((set) => claim.asked.every((part, at) => promises(pages[at], claim.uid, set, part)));
}

function promises(page: TruePage | undefined, uid: string, set: string, part: TruePart): boolean {
  const own = page?.reservations.filter((promise) => promise.uid === uid && promise.set === set) ?? [];
  return own.some(({ dimensionKey, amount }) => dimensionKey === part.dimensionKey && amount === part.amount);
}
