import { pagesOf } from "../../core/ledger/page.ts";
import { adoptPage } from "../../core/ledger/rewrite.ts";
import type { Desk } from "./desk.ts";
import type { DeskPage } from "./desk-page.ts";
import type { DeskPorts } from "./ports.ts";
import { isValid } from "./validity.ts";

/**
 * Reads all pages of a desk, and then makes sure that what is known of claims and grants is not older than that: what a
 * page counts, we know of; what we do not know of, is gone. A page is made before anything is counted for it.
 */
export async function recount(desk: Desk, ports: DeskPorts, signal: AbortSignal): Promise<void> {
  const { runtime, views, registrations } = ports;
  ports.leadership.fence();
  desk.isCounted = true; // unless somebody else is seen to write meanwhile
  desk.ahead.clear();
  desk.answers.clear(); // whether the promises still stand is found out anew
  desk.countGrants(registrations, runtime.clock.now());
  const wanted = typesToOpen(desk, ports);
  const read = await Promise.all(
    [...desk.types()].map(async (type) => [type, await openPage(desk, type, { ports, wanted }, signal)] as const),
  );
  const fenced = await Promise.all(
    read.map(async ([type, page]) => [type, await fencedPage(desk, page, ports, signal)] as const),
  );
  await Promise.all([views.claims.fresh(signal), views.grants.fresh(signal)]);
  desk.countGrants(registrations, runtime.clock.now());
  for (const [type, page] of fenced) {
    if (page === undefined) desk.dropPage(type);
    else desk.putPage(type, page);
  }
  for (const [type, { page }] of desk.pages) {
    adoptPage(desk.ledger, page, "complete");
    desk.noteGone(page.content.reservations.map(({ claim }) => claim.uid));
    ports.shown.changed({ ...desk.key, resourceType: type }, () => desk.shownBook(type));
  }
  desk.isActive = false;
  desk.countedAtMs = runtime.elapsedMs();
  ports.told.recounted?.();
}

/** Types of which somebody has or holds something, or wants something that can be had. */
function typesToOpen(desk: Desk, ports: DeskPorts): ReadonlySet<string> {
  const types = new Set([...desk.types()].filter((type) => desk.isUsed(type)));
  for (const entry of desk.open) {
    if (isValid(entry.claim, ports.registrations)) for (const type of pagesOf(entry.open)) types.add(type);
  }
  return types;
}

/**
 * A page that keeps something for claims to come is written first, as it is: from then on none can come by the version that was
 * read, and those that did are found.
 */
async function fencedPage(
  desk: Desk,
  page: DeskPage | undefined,
  { pages }: DeskPorts,
  signal: AbortSignal,
): Promise<DeskPage | undefined> {
  if (page === undefined || page.page.content.ahead === 0n) return page;
  const ordered = (): void => undefined;
  const written = await pages.swap(desk.key, page, { content: page.page.content, ordered }, signal);
  if (written === undefined) desk.isCounted = false;
  return written ?? page;
}

async function openPage(
  desk: Desk,
  type: string,
  { ports: { pages }, wanted }: { readonly ports: DeskPorts; readonly wanted: ReadonlySet<string> },
  signal: AbortSignal,
): Promise<DeskPage | undefined> {
  const page = await pages.read(desk.key, type, signal);
  return page ?? (wanted.has(type) ? pages.create(desk.key, type, signal) : undefined);
}
