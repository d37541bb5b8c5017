import type { PageContent } from "../../core/ledger/page.ts";
import { pagesOf } from "../../core/ledger/page.ts";
import { type Changes, contentOf, isCurrent, noChanges } from "../../core/ledger/rewrite.ts";
import type { Decision } from "../../core/ledger/settle.ts";
import { noAmount } from "../../core/resources/amount.ts";
import { extended } from "../../protocol/extended.ts";
import type { LogPlace } from "../../protocol/log-place.ts";
import { allOf } from "./all-of.ts";
import type { Desk } from "./desk.ts";
import type { DeskPage } from "./desk-page.ts";
import type { DeskPorts } from "./ports.ts";

/** How long something waits for company that nobody waits for. */
export const foldMsMax = 1_000;

const nothing = (): void => undefined;

/** Writes the pages of a desk. */
export class PageWrites {
  readonly #desk: Desk;
  readonly #ports: DeskPorts;
  readonly #signal: AbortSignal;

  constructor(desk: Desk, ports: DeskPorts, signal: AbortSignal) {
    this.#desk = desk;
    this.#ports = ports;
    this.#signal = signal;
  }

  /**
   * Writes every page that has something new to say and cannot wait. Returns those that were written; a page that
   * somebody else wrote first is not among them, and the desk has to be counted anew. `ordered` hears of each that has its
   * place in the log of a server in this process.
   */
  async swapAll(changes: Changes, ordered: (type: string, place: LogPlace) => void): Promise<ReadonlySet<string>> {
    const due = [...this.#desk.pages].flatMap(([type, page]) => {
      const content = contentOf(this.#desk.ledger, page.page, changes);
      return isSaid(page, content) ? [] : [{ type, page, content }];
    });
    const isFoldDue = this.#isFoldDue(due.length > 0);
    const urgent = due.filter(
      ({ type, page, content }) =>
        isFoldDue || this.#isLeftBehind(type, page) || isUrgent(type, page, content, changes),
    );
    if (urgent.length === due.length) this.#desk.foldSinceMs = undefined;
    const written = new Set<string>();
    await allOf(
      urgent.map(async ({ type, page, content }) => {
        const ahead = this.#desk.ahead.wanted(type, content.figures.available, this.#nowMs);
        const kept = { ...content, ahead };
        if (ahead > 0n) this.#desk.foldSinceMs ??= this.#nowMs; // what is not taken is given back
        if (await this.#swap(type, page, kept, (place) => ordered(type, place))) written.add(type);
      }),
    );
    return written;
  }

  /** Writes a page whether it has something new to say or not: a swap prepared by somebody before cannot succeed then. */
  async fence(type: string): Promise<void> {
    const page = this.#desk.pages.get(type);
    if (page === undefined) {
      this.#desk.isCounted = false;
      return;
    }
    const ahead = this.#desk.ahead.wanted(type, noAmount, this.#nowMs);
    await this.#swap(type, page, { ...contentOf(this.#desk.ledger, page.page, noChanges), ahead });
  }

  async #swap(
    type: string,
    before: DeskPage,
    content: PageContent,
    ordered: (place: LogPlace) => void = nothing,
  ): Promise<boolean> {
    const { leadership, pages, shown, told } = this.#ports;
    leadership.fence();
    const placed = (place: LogPlace): void => {
      this.#desk.ahead.ordered(type, content.ahead, place, this.#nowMs);
      ordered(place);
    };
    const page = await pages.swap(this.#desk.key, before, { content, ordered: placed }, this.#signal);
    told.swapped?.(page === undefined ? "overtaken" : "written");
    if (page === undefined) {
      this.#desk.isCounted = false;
      return false;
    }
    this.#desk.wrotePage(type, page);
    shown.changed(extended(this.#desk.key, { resourceType: type }), () => this.#desk.shownBook(type));
    return true;
  }

  /** Whether a page keeps something that somebody else was to take: nobody will, since it was counted. */
  #isLeftBehind(type: string, { page }: DeskPage): boolean {
    return page.content.ahead > 0n && !this.#desk.ahead.hasPlace(type);
  }

  get #nowMs(): number {
    return this.#ports.runtime.elapsedMs();
  }

  #isFoldDue(isSomethingDue: boolean): boolean {
    const nowMs = this.#nowMs;
    if (!isSomethingDue) this.#desk.foldSinceMs = undefined;
    else this.#desk.foldSinceMs ??= nowMs;
    return this.#desk.foldSinceMs !== undefined && nowMs - this.#desk.foldSinceMs >= foldMsMax;
  }
}

/** A page that was never written says nothing, not even nought. */
function isSaid({ page }: DeskPage, content: PageContent): boolean {
  return page.writer !== "" && isCurrent(page, content);
}

/** Whether somebody waits for a page to be written: for a promise, or to see what grants give. */
function isUrgent(type: string, { page }: DeskPage, content: PageContent, { decisions, dropped }: Changes): boolean {
  const { figures, grantCount } = page.content;
  return (
    page.writer === "" ||
    figures.limit !== content.figures.limit ||
    grantCount !== content.grantCount ||
    page.content.reservations.some(({ set }) => dropped.has(set)) ||
    decisions.some((decision) => isPromisedOn(type, decision))
  );
}

function isPromisedOn(type: string, decision: Decision): boolean {
  return decision.outcome === "reserve" && pagesOf(decision.claim).includes(type);
}
