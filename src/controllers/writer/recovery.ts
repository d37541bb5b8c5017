import { pagesOf } from "../../core/ledger/page.ts";
import { dropPromises, recover } from "../../core/ledger/recover.ts";
import type { Deferred } from "./all-of.ts";
import type { Desk, OpenEntry } from "./desk.ts";
import type { DeskAnswers } from "./desk-answers.ts";
import type { PageWrites } from "./page-writes.ts";
import type { DeskPorts } from "./ports.ts";

interface Hands {
  readonly ports: DeskPorts;
  readonly answers: DeskAnswers;
  readonly writes: PageWrites;
  readonly failures: Deferred;
}

/**
 * Deals with promises that an earlier attempt left behind, ours or another writer's. Returns the sets that nobody can
 * complete any more; they leave their pages with the next write.
 */
export async function recoverAll(desk: Desk, hands: Hands, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const dropped = new Set<string>();
  const waiting = [...desk.open].filter(({ open }) => !desk.isPromised(open.claim.uid));
  if (waiting.length === 0) return dropped;
  const promised = promisedOn(desk);
  for (const entry of waiting.filter(({ open }) => promised.has(open.claim.uid))) {
    if (!desk.isCounted) return new Set();
    await recoverOne(desk, entry, { ...hands, dropped }, signal);
  }
  return desk.isCounted ? dropped : new Set();
}

/** Claims that any page promises anything to, by UID. */
function promisedOn(desk: Desk): ReadonlySet<string> {
  const uids = new Set<string>();
  for (const { page } of desk.pages.values()) {
    for (const { claim } of page.content.reservations) uids.add(claim.uid);
  }
  return uids;
}

async function recoverOne(
  desk: Desk,
  entry: OpenEntry,
  hands: Hands & { readonly dropped: Set<string> },
  signal: AbortSignal,
): Promise<void> {
  const { open } = entry;
  const { answers, writes, ports, failures, dropped } = hands;
  const pages = new Map([...desk.pages].map(([type, { page }]) => [type, page]));
  const next = recover(open, pages, desk.fencesOf(open.claim.uid));
  switch (next.step) {
    case "settle":
      desk.dropFences(open.claim.uid);
      break;
    case "commit":
      ports.told.promised?.(open.claim.uid);
      // It keeps its promise until it can be told, and stands in nobody's way but its own.
      await failures.of(answers.commit(open.claim.uid));
      break;
    case "fence":
      for (const type of next.pages) await writes.fence(type);
      // Nobody would come back to it: pages that we write ourselves are no news to us.
      if (desk.isCounted) await recoverOne(desk, entry, hands, signal);
      break;
    case "drop":
      if (!(await areUnchanged(desk, pagesOf(open), ports, signal))) break;
      for (const set of next.sets) dropped.add(set);
      dropPromises(desk.ledger, open);
      // They stand against what was begun before them: the next attempt is not, and may be our own.
      desk.dropFences(open.claim.uid);
      break;
    default:
      throw new Error(`unknown step ${next satisfies never}`);
  }
}

/** Reads pages again; another writer's hand on one of them means to start over. */
export async function areUnchanged(
  desk: Desk,
  types: readonly string[],
  { pages }: DeskPorts,
  signal: AbortSignal,
): Promise<boolean> {
  for (const type of types) {
    const page = await pages.read(desk.key, type, signal);
    if (page?.page.version !== desk.pages.get(type)?.page.version) desk.isCounted = false;
  }
  return desk.isCounted;
}
