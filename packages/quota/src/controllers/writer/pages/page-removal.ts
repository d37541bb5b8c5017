import type { ConsumerState } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import type { StoredPage } from "./stored-page.ts";

/**
 * Removes pages that no grant and no claim names any more. A page that promises something stays, and so does one that
 * somebody deleted while it is in use: it goes when it may. Only when its whole namespace is going does it go along.
 * Returns whether somebody else was faster, so that a page has to be looked at again.
 */
export async function removeUnused(state: ConsumerState, deps: WriterDeps, signal: AbortSignal): Promise<boolean> {
  const { pages, leadership, shown } = deps;
  if (!state.isCounted) return false;
  let isOvertaken = false;
  for (const [type, page] of [...state.pages]) {
    if (page.page.content.reservations.length > 0 || (!page.deleting && state.isNamed(type))) continue;
    if (!(await isUnwanted(state, type, { page, deps }, signal))) continue;
    leadership.fence();
    state.invalidate(); // by somebody else's hand it may stay, or be made again
    if (!(await pages.remove(state.key, page, signal))) {
      isOvertaken = true; // the page is kept in mind: what they did may have been heard of already, and is not told again
      continue;
    }
    state.dropPage(type);
    shown.changed({ ...state.key, resourceType: type }, () => state.shownBook(type));
  }
  return isOvertaken;
}

async function isUnwanted(
  state: ConsumerState,
  type: string,
  { page, deps }: { readonly page: StoredPage; readonly deps: WriterDeps },
  signal: AbortSignal,
): Promise<boolean> {
  if (!state.isNamed(type)) return true;
  return page.deleting && (await deps.pages.isLosingNamespace(state.key, signal));
}
