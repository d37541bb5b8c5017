import { resourceTypesOf } from "../../core/ledger/ledger-bucket.ts";
import { dropReservations, recover } from "../../core/ledger/recover.ts";
import type { Deferred } from "./all-of.ts";
import type { ClaimAnswers } from "./claims/claim-answers.ts";
import type { ConsumerState, OpenEntry } from "./consumer-state.ts";
import type { PageWrites } from "./pages/page-writes.ts";
import type { WriterDeps } from "./writer-deps.ts";

interface Context {
  readonly deps: WriterDeps;
  readonly answers: ClaimAnswers;
  readonly writes: PageWrites;
  readonly failures: Deferred;
}

/**
 * Deals with promises that an earlier attempt left behind, ours or another writer's. Returns the sets that nobody can
 * complete any more; they leave their pages with the next write.
 */
export async function recoverAll(
  state: ConsumerState,
  context: Context,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const dropped = new Set<string>();
  const waiting = [...state.open];
  if (waiting.length === 0) return dropped;
  const promised = promisedOn(state);
  for (const entry of waiting.filter(({ open }) => promised.has(open.claim.uid))) {
    if (!state.isCounted) return new Set();
    await recoverOne(state, entry, { ...context, dropped }, signal);
  }
  return state.isCounted ? dropped : new Set();
}

/** Claims that any page promises anything to, by UID. */
function promisedOn(state: ConsumerState): ReadonlySet<string> {
  const uids = new Set<string>();
  for (const { page } of state.pages.values()) {
    for (const { claim } of page.content.reservations) uids.add(claim.uid);
  }
  return uids;
}

async function recoverOne(
  state: ConsumerState,
  entry: OpenEntry,
  context: Context & { readonly dropped: Set<string> },
  signal: AbortSignal,
): Promise<void> {
  const { open } = entry;
  const { answers, writes, deps, failures, dropped } = context;
  const pages = new Map([...state.pages].map(([type, { page }]) => [type, page]));
  const next = recover(open, pages, state.fences.of(open.claim.uid));
  switch (next.step) {
    case "settle":
      state.fences.drop(open.claim.uid);
      break;
    case "commit":
      // It keeps its promise until it can be told, and stands in nobody's way but its own.
      await failures.of(answers.commit(open.claim.uid));
      break;
    case "fence":
      for (const type of next.buckets) await writes.fence(type);
      // Nobody would come back to it: pages that we write ourselves are no news to us.
      if (state.isCounted) await recoverOne(state, entry, context, signal);
      break;
    case "drop":
      if (!(await areUnchanged(state, resourceTypesOf(open), deps, signal))) break;
      for (const attempt of next.attempts) dropped.add(attempt);
      dropReservations(state.ledger, open);
      // They stand against what was begun before them: the next attempt is not, and may be our own.
      state.fences.drop(open.claim.uid);
      break;
    default:
      throw new Error(`unknown step ${next satisfies never}`);
  }
}

/** Reads pages again; another writer's hand on one of them means to start over. */
export async function areUnchanged(
  state: ConsumerState,
  types: readonly string[],
  { pages }: WriterDeps,
  signal: AbortSignal,
): Promise<boolean> {
  for (const type of types) {
    const page = await pages.read(state.key, type, signal);
    if (page?.page.version !== state.pages.get(type)?.page.version) state.invalidate();
  }
  return state.isCounted;
}
