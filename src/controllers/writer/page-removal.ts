import type { Desk } from "./desk.ts";
import type { DeskPorts } from "./ports.ts";

/**
 * Removes pages that no grant and no claim names any more. A page that promises something stays, and so does one that
 * somebody deleted while it is in use: it goes when it may.
 */
export async function removeUnused(
  desk: Desk,
  { pages, leadership, shown }: DeskPorts,
  signal: AbortSignal,
): Promise<void> {
  if (!desk.isCounted) return;
  for (const [type, page] of [...desk.pages]) {
    if (desk.isNamed(type) || page.page.content.reservations.length > 0) continue;
    leadership.fence();
    desk.isCounted = false; // by somebody else's hand it may stay, or be made again
    await pages.remove(desk.key, page, signal);
    desk.dropPage(type);
    shown.changed({ ...desk.key, resourceType: type }, () => desk.shownBook(type));
  }
}
