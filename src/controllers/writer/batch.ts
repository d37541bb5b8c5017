import type { OpenClaim } from "../../core/ledger/page.ts";
import { pagesOf } from "../../core/ledger/page.ts";
import { type Decision, settle } from "../../core/ledger/settle.ts";
import { timeText } from "../../kube/timestamp.ts";
import type { LogPlace } from "../../protocol/log-place.ts";
import { allOf, type Deferred } from "./all-of.ts";
import { Births } from "./births.ts";
import { denyAll } from "./denials.ts";
import type { Desk } from "./desk.ts";
import { DeskAnswers } from "./desk-answers.ts";
import { PageWrites } from "./page-writes.ts";
import { crowdMin } from "./patient-answers.ts";
import type { DeskPorts } from "./ports.ts";
import { isReserve, Promises } from "./promises.ts";
import { recoverAll } from "./recovery.ts";
import { faultsOf, faultText } from "./validity.ts";

/** For people to read: by then a promise should be settled. */
const promiseMs = 40_000;

interface Hands {
  readonly ports: DeskPorts;
  readonly failures: Deferred;
  readonly answers: DeskAnswers;
  readonly births: Births;
  readonly writes: PageWrites;
}

/**
 * Decides the claims that wait at a desk: promises them what fits, one write for each page however many claims there are,
 * and answers them. Returns whether there is more to do at once. A claim that cannot be answered is among the failures,
 * and keeps no other from its answer.
 */
export async function decideBatch(
  desk: Desk,
  ports: DeskPorts,
  failures: Deferred,
  signal: AbortSignal,
): Promise<boolean> {
  const answers = new DeskAnswers(desk, ports, signal);
  const births = new Births(desk, ports, answers);
  const hands = { ports, failures, answers, births, writes: new PageWrites(desk, ports, signal) };
  try {
    return await decide(desk, hands, signal);
  } finally {
    births.end();
  }
}

async function decide(desk: Desk, hands: Hands, signal: AbortSignal): Promise<boolean> {
  const { ports, failures, answers, births, writes } = hands;
  const dropped = await recoverAll(desk, hands, signal);
  if (!desk.isCounted) return true;
  desk.countGrants(ports.registrations, ports.runtime.clock.now());
  const { ready, faulty } = sortOut(desk, ports);
  if (!desk.hasUsedPages || !havePages(desk, ready)) {
    desk.isCounted = false;
    return true;
  }
  const newSet = (): string => ports.runtime.random.uuid();
  const settled = settle(desk.ledger, [...ready, ...births.ready()], newSet);
  if (settled.length > 0) ports.told.batched?.(settled.length);
  const decisions = births.decided(settled);
  const expirationTime = decisions.length > 0 ? timeText(ports.runtime.clock.now() + promiseMs) : "";
  const answered = answerPatient(desk, decisions.some(isDenial), hands);
  const tell = (uid: string): boolean => (births.has(uid) ? births.promised(uid) : ports.told.promised?.(uid) === true);
  const promises = new Promises(decisions.filter(isReserve), tell);
  const ordered = (type: string, place: LogPlace): void => {
    births.ordered(type, place);
    promises.stands(type);
  };
  const swapped = await writes.swapAll({ decisions, dropped, expirationTime }, ordered).finally(() => answered);
  births.end();
  await failures.of(commitAll(desk, promises, swapped, hands));
  for (const uid of oversized(decisions)) faulty.set(uid, "asks for more than fits onto a page");
  if (faulty.size > 0) await failures.of(allOf([...faulty].map(([uid, message]) => answers.refuse(uid, message))));
  // Whoever is denied is told what is granted; and whoever waits for room on a page waits for promises to be kept.
  const isWaiting = decisions.some(({ outcome }) => outcome === "wait");
  if (isWaiting || decisions.some(isDenial)) await failures.of(desk.underWay.over());
  const denials = decisions.filter(isDenial).map(({ claim }) => claim);
  const hasRoom = denials.length > 0 && (await denyAll(desk, denials, { ...hands, swapped }, signal));
  return hasRoom || !desk.isCounted || isWaiting;
}

interface Sorted {
  readonly ready: readonly OpenClaim[];
  /** Why claims cannot be decided, by UID. */
  readonly faulty: Map<string, string>;
}

function sortOut(desk: Desk, { forced, registrations }: DeskPorts): Sorted {
  const ready: OpenClaim[] = [];
  const faulty = new Map<string, string>();
  for (const { place, claim, open } of desk.open) {
    const { uid } = open.claim;
    if (desk.isPromised(uid)) continue; // what was promised is granted, whatever is true by now
    const verdict = forced.verdict(place, uid);
    if (verdict === "unknown") continue; // we are told when it is known
    const faults = faultsOf(claim, registrations);
    if (faults.length > 0) faulty.set(uid, faultText(faults));
    else ready.push(verdict === "forced" ? { ...open, standing: "forced" } : open);
  }
  return { ready, faulty };
}

/** A page that was not there when pages were counted is made by the next count. */
function havePages(desk: Desk, claims: readonly OpenClaim[]): boolean {
  return claims.every((claim) => pagesOf(claim).every((type) => desk.pages.has(type)));
}

/**
 * Grants what was promised before, once that is much or it is time; and before anybody is denied, who is told what is
 * granted and what is only promised.
 */
async function answerPatient(desk: Desk, isAnyDenied: boolean, { ports, answers, failures }: Hands): Promise<void> {
  const due = desk.answers.take(isAnyDenied, ports.runtime.elapsedMs());
  await failures.of(allOf(due.map((uid) => answers.commit(uid))));
}

/** Grants every claim all of whose pages have taken its promises; of the others, nothing counts. */
async function commitAll(
  desk: Desk,
  promises: Promises,
  swapped: ReadonlySet<string>,
  { ports, answers, births }: Hands,
): Promise<void> {
  for (const type of swapped) promises.stands(type);
  const uids = promises.completeOn(swapped).filter((uid) => !births.has(uid));
  const known = new Set(uids.filter((uid) => promises.isKnown(uid)));
  const patient = known.size < crowdMin ? known : new Set<string>();
  desk.answers.add(patient, ports.runtime.elapsedMs());
  await allOf(uids.filter((uid) => !desk.isPromised(uid)).map((uid) => answers.commit(uid)));
}

function isDenial(decision: Decision): decision is Extract<Decision, { readonly outcome: "deny" }> {
  return decision.outcome === "deny";
}

function oversized(decisions: readonly Decision[]): readonly string[] {
  return decisions.flatMap(({ outcome, claim }) => (outcome === "oversized" ? [claim.claim.uid] : []));
}
