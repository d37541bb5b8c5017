import type { Desk } from "./desk.ts";
import type { DeskPorts } from "./ports.ts";

/**
 * Removes pages that no grant and no claim names any more, and lets those go that somebody deleted, with their namespace
 * perhaps. A page that promises something stays until that is settled. One that is needed is made again by the next count,
 * where it can be.
 */
export async function removeUnused(
  desk: Desk,
  { pages, leadership, shown }: DeskPorts,
  signal: AbortSignal,
): Promise<void> {
  if (!desk.isCounted) return;
  for (const [type, page] of [...desk.pages]) {
    const isUnwanted = page.deleting || !desk.isNamed(type);
    if (!isUnwanted || page.page.content.reservations.length > 0) continue;
    leadership.fence();
    desk.isCounted = false; // by somebody else's hand it may stay, or be made again
    await pages.remove(desk.key, page, signal);
    desk.dropPage(type);
    shown.changed({ ...desk.key, resourceType: type }, () => desk.shownBook(type));
  }
}
