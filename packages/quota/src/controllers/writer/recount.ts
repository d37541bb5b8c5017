import { resourceTypesOf } from "../../core/ledger/ledger-bucket.ts";
import { adoptBucket } from "../../core/ledger/rewrite.ts";
import { isValid } from "./claims/validity.ts";
import type { ConsumerState } from "./consumer-state.ts";
import type { StoredPage } from "./pages/stored-page.ts";
import type { WriterDeps } from "./writer-deps.ts";

/**
 * Reads all pages of a consumer, and then makes sure that what is known of claims and grants is not older than that: what a
 * page counts, we know of; what we do not know of, is gone. A page is made before anything is counted for it.
 */
export async function recount(state: ConsumerState, deps: WriterDeps, signal: AbortSignal): Promise<void> {
  const { runtime, views, registrations } = deps;
  deps.leadership.fence();
  state.beginCount();
  state.countGrants(registrations, runtime.clock.now());
  const wanted = typesToOpen(state, deps);
  const read = await Promise.all(
    [...state.types()].map(async (type) => [type, await openPage(state, type, { deps, wanted }, signal)] as const),
  );
  await Promise.all([views.claims.fresh(signal), views.grants.fresh(signal)]);
  state.countGrants(registrations, runtime.clock.now());
  for (const [type, page] of read) {
    if (page === undefined) state.dropPage(type);
    else state.putPage(type, page);
  }
  for (const [type, { page }] of state.pages) {
    adoptBucket(state.ledger, page, "complete");
    state.noteGone(page.content.reservations.map(({ claim }) => claim.uid));
    deps.shown.changed({ ...state.key, resourceType: type }, () => state.shownBook(type));
  }
  state.finishCount(runtime.elapsedMs());
  deps.observer.recounted?.();
}

/** Types of which somebody has or holds something, or wants something that can be had. */
function typesToOpen(state: ConsumerState, deps: WriterDeps): ReadonlySet<string> {
  const types = new Set([...state.types()].filter((type) => state.isUsed(type)));
  for (const entry of state.open) {
    if (isValid(entry.claim, deps.registrations)) for (const type of resourceTypesOf(entry.open)) types.add(type);
  }
  return types;
}

async function openPage(
  state: ConsumerState,
  type: string,
  { deps: { pages }, wanted }: { readonly deps: WriterDeps; readonly wanted: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<StoredPage | undefined> {
  const page = await pages.read(state.key, type, signal);
  return page ?? (wanted.has(type) ? pages.create(state.key, type, signal) : undefined);
}
