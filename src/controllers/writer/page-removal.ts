import type { Desk } from "./desk.ts";
import type { DeskPage } from "./desk-page.ts";
import type { DeskPorts } from "./ports.ts";

/**
 * Removes pages that no grant and no claim names any more. A page that promises something stays, and so does one that
 * somebody deleted while it is in use: it goes when it may. Only when its whole namespace is going does it go along.
 * Returns whether somebody else was faster, so that a page has to be looked at again.
 */
export async function removeUnused(desk: Desk, ports: DeskPorts, signal: AbortSignal): Promise<boolean> {
  const { pages, leadership, shown } = ports;
  if (!desk.isCounted) return false;
  let isOvertaken = false;
  for (const [type, page] of [...desk.pages]) {
    const { reservations, ahead } = page.page.content;
    if (reservations.length > 0 || ahead > 0n || (!page.deleting && desk.isNamed(type))) continue;
    if (!(await isUnwanted(desk, type, { page, ports }, signal))) continue;
    leadership.fence();
    desk.isCounted = false; // by somebody else's hand it may stay, or be made again
    if (!(await pages.remove(desk.key, page, signal))) {
      isOvertaken = true; // the page is kept in mind: what they did may have been heard of already, and is not told again
      continue;
    }
    desk.dropPage(type);
    shown.changed({ ...desk.key, resourceType: type }, () => desk.shownBook(type));
  }
  return isOvertaken;
}

async function isUnwanted(
  desk: Desk,
  type: string,
  { page, ports }: { readonly page: DeskPage; readonly ports: DeskPorts },
  signal: AbortSignal,
): Promise<boolean> {
  if (!desk.isNamed(type)) return true;
  return page.deleting && (await ports.pages.isLosingNamespace(desk.key, signal));
}
