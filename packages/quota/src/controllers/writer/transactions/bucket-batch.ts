import type { ClaimPart } from "../../../core/ledger/claim-knowledge.ts";
import { contentOf, noChanges } from "../../../core/ledger/rewrite.ts";
import { grantAtOnce } from "../../../core/ledger/settle.ts";
import type { ConsumerState } from "../consumer-state.ts";
import type { NextPage } from "../pages/page-store.ts";
import type { QuotaChange, QuotaTicket } from "./ticket.ts";
import type { IsCurrent, TransactionsOptions } from "./transactions-options.ts";

/** Why a ticket is not in a batch: it may be in a later one, or its claims have to be decided in another way. */
export type LeftOut = { readonly outcome: "busy"; readonly until: Promise<void> } | { readonly outcome: "declined" };

export interface RenderedBuckets {
  readonly pages: readonly NextPage[];
  readonly leftOut: ReadonlyMap<QuotaTicket, LeftOut>;
  /** The versions of the pages, in their order. */
  readonly stored: (versions: readonly string[]) => void;
  /** Certainly nothing was written. */
  readonly rolledBack: () => void;
  /** Nobody knows what was written: what is counted goes on counting until the next start. */
  readonly unknown: () => void;
}

interface TouchedPage {
  readonly state: ConsumerState;
  readonly type: string;
}

/**
 * The tickets of one batch of the store, settled one after the other on what is durable. What fits is counted from here on;
 * nobody else changes these pages until the batch has ended.
 */
export class BucketBatch {
  readonly #options: TransactionsOptions;
  readonly #isCurrent: IsCurrent;
  readonly #states = new Set<ConsumerState>();
  readonly #taken: QuotaTicket[] = [];
  readonly #leftOut = new Map<QuotaTicket, LeftOut>();
  readonly #touched = new Map<string, TouchedPage>();
  #pages: readonly (TouchedPage & { readonly next: NextPage })[] = [];

  constructor(options: TransactionsOptions, isCurrent: IsCurrent) {
    this.#options = options;
    this.#isCurrent = isCurrent;
  }

  take(ticket: QuotaTicket): void {
    const changes = ticket.changes.map((change) => ({ change, state: this.#options.stateOf(change.id) }));
    const busy = changes.find(({ state }) => state?.turns.isInRound === true)?.state;
    if (busy !== undefined) {
      this.#leftOut.set(ticket, { outcome: "busy", until: busy.turns.over });
      return;
    }
    if (
      !changes.every(({ change, state }) => state !== undefined && this.#isPossible(change, state)) ||
      !this.#settle(changes as readonly Placed[])
    ) {
      this.#leftOut.set(ticket, { outcome: "declined" });
      return;
    }
    this.#taken.push(ticket);
    for (const { change, state } of changes as readonly Placed[]) {
      this.#states.add(state);
      for (const type of typesOf(change)) this.#touched.set(pageKey(state, type), { state, type });
    }
  }

  rendered(): RenderedBuckets {
    for (const state of this.#states) state.turns.beginTransaction();
    try {
      this.#renderPages();
    } catch (error) {
      this.#rolledBack();
      throw error;
    }
    return {
      pages: this.#pages.map(({ next }) => next),
      leftOut: this.#leftOut,
      stored: (versions) => this.#stored(versions),
      rolledBack: () => this.#rolledBack(),
      unknown: () => this.#end(),
    };
  }

  #renderPages(): void {
    const { deps } = this.#options;
    this.#pages = [...this.#touched.values()].map(({ state, type }) => {
      const before = state.pages.get(type);
      if (before === undefined) throw new Error(`the page of ${type} is not there any more`);
      const content = contentOf(state.ledger, before.page, noChanges);
      return { state, type, next: deps.pages.next(state.key, before, content) };
    });
  }

  /** Whether the pages are as we know them, and nothing that was asked for earlier waits. */
  #isPossible(change: QuotaChange, state: ConsumerState): boolean {
    const { deps } = this.#options;
    if (!state.isCounted || (change.granted.length > 0 && state.hasPending)) return false;
    for (const type of typesOf(change)) {
      const page = state.pages.get(type);
      if (page === undefined) return false;
      if (this.#touched.has(pageKey(state, type))) continue;
      const { namespace, name } = page;
      if (this.#isCurrent({ plane: state.key.plane, namespace, name }, page.page.version)) continue;
      state.invalidate();
      deps.lookAgain(state.id);
      return false;
    }
    return true;
  }

  /** All claims of a ticket, or none. */
  #settle(changes: readonly Placed[]): boolean {
    const { registrations, runtime } = this.#options.deps;
    const granted: { readonly state: ConsumerState; readonly uid: string }[] = [];
    for (const { change, state } of changes) {
      state.countGrants(registrations, runtime.clock.now());
      for (const claim of change.granted) {
        if (!grantAtOnce(state.ledger, claim)) {
          for (const each of granted) each.state.neverStored(each.uid);
          return false;
        }
        granted.push({ state, uid: claim.claim.uid });
      }
    }
    for (const { change, state } of changes) {
      for (const { uid, left } of change.released) {
        if (left === undefined) state.removed(uid);
        else state.learn(uid, { state: "granted", parts: left });
      }
    }
    return true;
  }

  #stored(versions: readonly string[]): void {
    const { observer, shown } = this.#options.deps;
    for (const [at, { state, type, next }] of this.#pages.entries()) {
      state.wrotePage(type, next.stored(versions[at] as string));
    }
    this.#end();
    for (const { state, type } of this.#pages) {
      observer.swapped?.("written");
      const { plane, consumer } = state.key;
      shown.changed({ plane, consumer, resourceType: type }, () => state.shownBook(type));
    }
    const changes = this.#taken.flatMap((ticket) => ticket.changes);
    const counts = new Map<string, number>();
    for (const { id, granted } of changes) counts.set(id, (counts.get(id) ?? 0) + granted.length);
    for (const count of counts.values()) if (count > 0) observer.batched?.(count);
    for (const change of changes) this.#tell(change);
  }

  #tell({ key, granted }: QuotaChange): void {
    const { observer } = this.#options.deps;
    for (const { request } of granted) {
      const { namespace, name, consumer, resource } = request.claim;
      const metadata = { namespace, name, uid: request.uid };
      const claim = { metadata, consumer, resource };
      observer.decided?.(key.plane, "granted", { namespace, name, uid: request.uid, message: "", claim });
    }
  }

  /** Claims that were to come never will; those that were to go are still there, which what is stored tells best. */
  #rolledBack(): void {
    for (const { changes } of this.#taken) {
      for (const { id, granted, released } of changes) {
        const state = this.#options.stateOf(id);
        for (const { claim } of granted) state?.neverStored(claim.uid);
        if (released.length === 0) continue;
        state?.invalidate();
        this.#options.rebuild(id);
      }
    }
    this.#end();
  }

  #end(): void {
    for (const state of this.#states) state.turns.end();
  }
}

function pageKey({ id }: ConsumerState, type: string): string {
  return `${id}\n${type}`;
}

interface Placed {
  readonly change: QuotaChange;
  readonly state: ConsumerState;
}

function typesOf({ granted, released }: QuotaChange): ReadonlySet<string> {
  const types = (parts: readonly ClaimPart[]): readonly string[] => parts.map(({ resourceType }) => resourceType);
  return new Set([...granted.flatMap(({ parts }) => types(parts)), ...released.flatMap(({ held }) => types(held))]);
}
