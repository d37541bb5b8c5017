import { pagesOf } from "../../core/ledger/page.ts";
import { dropPromises } from "../../core/ledger/recover.ts";
import { settle } from "../../core/ledger/settle.ts";
import type { ResourceClaim } from "../../core/resources/resource-claim.ts";
import type { Birth, Ground, LogPlace } from "../../protocol/log-place.ts";
import type { Desk, OpenEntry } from "./desk.ts";
import type { DeskAnswers } from "./desk-answers.ts";
import type { DeskPorts } from "./ports.ts";
import { isValid } from "./validity.ts";

/** A claim that is stored as soon as somebody says with what. */
export interface ComingEntry extends OpenEntry {
  /** Called once. Without a birth it is stored undecided, and seen like any other. */
  readonly answer: (birth: Birth | undefined) => void;
  /** What was stored in the end; undefined if nothing was. */
  readonly stored: Promise<ResourceClaim | undefined>;
}

interface Hands {
  readonly desk: Desk;
  readonly ports: DeskPorts;
  readonly answers: DeskAnswers;
}

/** Whether a claim that is yet to be stored can be decided as things are. */
export function isReady(
  { place, claim, open }: ComingEntry,
  desk: Desk,
  { forced, registrations }: DeskPorts,
): boolean {
  return (
    forced.verdict(place, open.claim.uid) === "ordinary" &&
    pagesOf(open).every((type) => desk.pages.has(type)) &&
    isValid(claim, registrations)
  );
}

/** Has a claim stored as granted, and follows it. */
export function giveBirth(entry: ComingEntry, rests: Ground, { desk, ports, answers }: Hands): void {
  entry.answer({ status: answers.grantOf(entry.claim), rests });
  const followed = follow(entry, rests, { desk, answers });
  desk.underWay.add(entry.open.claim.uid, followed, () => ports.lookAgain(desk.id));
}

/** The same by what its page keeps for such claims. Whether that was enough. */
export function bornByWhatIsKept(entry: ComingEntry, hands: Hands): boolean {
  const { open } = entry;
  const { ahead, ledger } = hands.desk;
  if (!ahead.take(open)) return false;
  const isKept = (): boolean => pagesOf(open).every((type) => ledger.book(type).hasPromise(open.claim.uid));
  const places = (): readonly LogPlace[] => (isKept() ? ahead.placesOf(open) : []);
  giveBirth(entry, { how: "standing", places }, hands);
  return true;
}

/**
 * Decides a claim without any of the others, and nothing is written but itself: when nobody is at the desk, nobody waits, and
 * its page keeps enough for it. Whether it was like that.
 */
export function bornAtOnce(entry: ComingEntry, hands: Hands): boolean {
  const { desk, ports } = hands;
  const { runtime, registrations, told } = ports;
  if (!desk.isFree || !desk.ahead.covers(entry.open)) return false;
  desk.countGrants(registrations, runtime.clock.now());
  if (!isReady(entry, desk, ports)) return false;
  const [decision] = settle(desk.ledger, [entry.open], () => runtime.random.uuid());
  if (decision?.outcome !== "reserve") return false;
  told.batched?.(1);
  return bornByWhatIsKept(entry, hands);
}

/**
 * Whether it came as it was to. One that is there undecided all the same is decided like any other. Of one that did not come
 * nobody knows whether it is there: what it was to hold counts until everything is counted anew.
 */
async function follow(
  entry: ComingEntry,
  { how }: Ground,
  { desk, answers }: Pick<Hands, "desk" | "answers">,
): Promise<boolean> {
  const stored = await entry.stored;
  if (how === "standing" && stored !== undefined) desk.ahead.settled(entry.open);
  const isGranted = stored?.answer.state === "granted";
  if (isGranted) answers.granted(entry);
  else if (stored === undefined) desk.isCounted = false;
  else dropPromises(desk.ledger, entry.open);
  return isGranted;
}
