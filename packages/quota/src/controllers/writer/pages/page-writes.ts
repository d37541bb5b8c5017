import type { BucketContent } from "../../../core/ledger/ledger-bucket.ts";
import { resourceTypesOf } from "../../../core/ledger/ledger-bucket.ts";
import { type Changes, contentOf, isCurrent, noChanges } from "../../../core/ledger/rewrite.ts";
import type { Decision } from "../../../core/ledger/settle.ts";
import { allOf } from "../all-of.ts";
import type { ConsumerState } from "../consumer-state.ts";
import type { WriterDeps } from "../writer-deps.ts";
import type { StoredPage } from "./stored-page.ts";

/** How long something waits for company that nobody waits for. */
export const foldMsMax = 1_000;

/** Writes the pages of a consumer. */
export class PageWrites {
  readonly #state: ConsumerState;
  readonly #deps: WriterDeps;
  readonly #signal: AbortSignal;

  constructor(state: ConsumerState, deps: WriterDeps, signal: AbortSignal) {
    this.#state = state;
    this.#deps = deps;
    this.#signal = signal;
  }

  /**
   * Writes every page that has something new to say and cannot wait. Returns those that were written; a page that
   * somebody else wrote first is not among them, and everything has to be counted anew.
   */
  async swapAll(changes: Changes): Promise<ReadonlySet<string>> {
    const nowMs = this.#deps.runtime.elapsedMs();
    const due = [...this.#state.pages].flatMap(([type, page]) => {
      const content = contentOf(this.#state.ledger, page.page, changes);
      return isSaid(page, content) ? [] : [{ type, page, content }];
    });
    this.#state.noteFold(due.length > 0, nowMs);
    const { foldSinceMs } = this.#state;
    const isFoldDue = foldSinceMs !== undefined && nowMs - foldSinceMs >= foldMsMax;
    const urgent = due.filter(({ type, page, content }) => isFoldDue || isUrgent(type, page, { content, changes }));
    if (urgent.length === due.length) this.#state.noteFold(false, nowMs);
    const written = new Set<string>();
    await allOf(
      urgent.map(async ({ type, page, content }) => {
        if (await this.#swap(type, page, content)) written.add(type);
      }),
    );
    return written;
  }

  /** Writes a page whether it has something new to say or not: a swap prepared by somebody before cannot succeed then. */
  async fence(type: string): Promise<void> {
    const page = this.#state.pages.get(type);
    if (page === undefined) this.#state.invalidate();
    else await this.#swap(type, page, contentOf(this.#state.ledger, page.page, noChanges));
  }

  async #swap(type: string, before: StoredPage, content: BucketContent): Promise<boolean> {
    const { leadership, pages, shown, observer } = this.#deps;
    leadership.fence();
    const page = await pages.swap(this.#state.key, before, content, this.#signal);
    observer.swapped?.(page === undefined ? "overtaken" : "written");
    if (page === undefined) {
      this.#state.invalidate();
      return false;
    }
    this.#state.wrotePage(type, page);
    shown.changed({ ...this.#state.key, resourceType: type }, () => this.#state.shownBook(type));
    return true;
  }
}

/** A page that was never written says nothing, not even nought. */
function isSaid({ page }: StoredPage, content: BucketContent): boolean {
  return page.writer !== "" && isCurrent(page, content);
}

/** Whether somebody waits for a page to be written: for a promise, or to see what grants give. */
function isUrgent(
  type: string,
  { page }: StoredPage,
  { content, changes: { decisions, dropped } }: { readonly content: BucketContent; readonly changes: Changes },
): boolean {
  const { figures, grantCount } = page.content;
  return (
    page.writer === "" ||
    figures.limit !== content.figures.limit ||
    grantCount !== content.grantCount ||
    page.content.reservations.some(({ attempt }) => dropped.has(attempt)) ||
    decisions.some((decision) => isPromisedOn(type, decision))
  );
}

function isPromisedOn(type: string, decision: Decision): boolean {
  return decision.outcome === "reserve" && resourceTypesOf(decision.claim).includes(type);
}
