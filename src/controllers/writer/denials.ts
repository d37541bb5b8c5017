import { type OpenClaim, pagesOf } from "../../core/ledger/page.ts";
import { shortParts } from "../../core/ledger/settle.ts";
import { allOf, type Deferred } from "./all-of.ts";
import type { Desk } from "./desk.ts";
import type { DeskAnswers } from "./desk-answers.ts";
import type { DeskPorts } from "./ports.ts";
import { areUnchanged } from "./recovery.ts";
import { isValid } from "./validity.ts";

interface Hands {
  readonly ports: DeskPorts;
  readonly answers: DeskAnswers;
  readonly failures: Deferred;
  /** Pages that we have just written: nobody else did meanwhile. */
  readonly swapped: ReadonlySet<string>;
}

/**
 * Denies claims that did not fit, if there was a moment since they were seen at which they did not: pages, use and grants
 * are known anew first, and the grants were the same before and after. Returns whether one of them might fit by now.
 */
export async function denyAll(
  desk: Desk,
  denials: readonly OpenClaim[],
  { ports, answers, failures, swapped }: Hands,
  signal: AbortSignal,
): Promise<boolean> {
  const { views } = ports;
  await Promise.all([views.grants.fresh(signal), views.registrations.fresh(signal)]);
  const { grantChanges } = desk;
  const types = new Set(denials.flatMap(pagesOf).filter((type) => !swapped.has(type)));
  if (!(await areUnchanged(desk, [...types], ports, signal))) return true;
  await views.claims.fresh(signal);
  const short = shortages(desk, denials, ports);
  await views.grants.fresh(signal);
  if (desk.grantChanges !== grantChanges || !desk.isCounted) return true;
  const denied = short.filter(({ parts }) => parts.length > 0);
  await failures.of(allOf(denied.map(({ uid, parts }) => answers.deny(uid, parts))));
  return denied.length < denials.length;
}

function shortages(desk: Desk, denials: readonly OpenClaim[], { registrations, runtime }: DeskPorts) {
  desk.countGrants(registrations, runtime.clock.now());
  return denials.flatMap((claim) => {
    const { uid } = claim.claim;
    const entry = desk.entry(uid);
    const parts = shortParts(desk.ledger, claim);
    if (entry === undefined || parts === undefined || !isValid(entry.claim, registrations)) return [];
    return [{ uid, parts }];
  });
}
