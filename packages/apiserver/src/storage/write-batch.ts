import { keyText } from "./memory/key-order.ts";
import type { ObjectKey } from "./object-key.ts";
import type { PendingTransaction } from "./pending-transaction.ts";
import { type PreparedWrite, type Row, rowAt } from "./prepared-write.ts";
import type { StoreLimits } from "./store-limits.ts";
import type { StoredObject } from "./stored-object.ts";
import type { BatchEnd, BatchRenderer, Excluded, RenderedBatch, Ticket, Write } from "./transaction.ts";

/** What a batch needs to know of the store. */
export interface Versions {
  /** The revision of the latest durable version; 0 when there is none. */
  revisionOf(key: ObjectKey): number;
  get(key: ObjectKey): StoredObject | undefined;
  /** Throws ObjectTooLarge. */
  prepare(write: Write): PreparedWrite;
}

/**
 * The transactions of one append to the log, in the order of submission. No object is changed twice, and no transaction
 * is split. Transactions with tickets become visible together with the writes of their renderers.
 */
export class Batch {
  readonly #versions: Versions;
  readonly #limits: StoreLimits;
  #transactions: PendingTransaction[] = [];
  readonly #ids = new Set<string>();
  /** Objects of transactions that wait for the next batch: later transactions of these wait as well. */
  readonly #blocked = new Set<string>();
  #count = 0;
  #chars = 0;
  #rendered: { readonly rendered: RenderedBatch; readonly writes: readonly PreparedWrite[] }[] = [];

  constructor(versions: Versions, limits: StoreLimits) {
    this.#versions = versions;
    this.#limits = limits;
  }

  get transactions(): readonly PendingTransaction[] {
    return this.#transactions;
  }

  get isEmpty(): boolean {
    return this.#transactions.length === 0;
  }

  /** Adds a transaction, or settles it if it conflicts, or leaves it to the next batch, perhaps with all after it. */
  take(transaction: PendingTransaction): "taken" | "answered" | "waits" | "full" {
    const { writes, chars } = transaction;
    if (writes.some(({ id }) => this.#ids.has(id) || this.#blocked.has(id))) return this.leave(transaction);
    const at = writes.findIndex(({ key, expected }) => this.#versions.revisionOf(key) !== expected);
    if (at >= 0) {
      const current = this.#versions.get((writes[at] as PreparedWrite).key);
      transaction.answer({ outcome: "conflict", at, current });
      return "answered";
    }
    if (this.#count > 0 && !this.#hasRoomFor(writes.length, chars)) return "full";
    this.#transactions.push(transaction);
    for (const { id } of writes) this.#ids.add(id);
    this.#count += writes.length;
    this.#chars += chars;
    return "taken";
  }

  /** Runs the renderers. Returns the excluded transactions, which are settled. */
  render(): readonly PendingTransaction[] {
    const byRenderer = new Map<BatchRenderer, PendingTransaction[]>();
    for (const transaction of this.#transactions) {
      if (transaction.ticket === undefined) continue;
      const others = byRenderer.get(transaction.ticket.renderer);
      if (others === undefined) byRenderer.set(transaction.ticket.renderer, [transaction]);
      else others.push(transaction);
    }
    const out = [...byRenderer].flatMap(([renderer, transactions]) => this.#renderOne(renderer, transactions));
    if (out.length > 0) this.#transactions = this.#transactions.filter((each) => !out.includes(each));
    return out;
  }

  /** All rows with consecutive revisions, beginning with this one. */
  rows(first: number): readonly Row[] {
    const rows: Row[] = [];
    const add = (unit: readonly PreparedWrite[]): void => {
      for (const [at, write] of unit.entries()) rows.push(rowAt(write, first + rows.length, at < unit.length - 1));
    };
    for (const { ticket, writes } of this.#transactions) if (ticket === undefined) add(writes);
    add(this.#renderedUnit());
    return rows;
  }

  /** Notifies all parties of the batch. */
  stored(visible: readonly StoredObject[]): void {
    let at = 0;
    const next = (writes: readonly PreparedWrite[]): readonly StoredObject[] => {
      at += writes.length;
      return visible.slice(at - writes.length, at);
    };
    const answers = new Map<PendingTransaction, readonly StoredObject[]>();
    for (const each of this.#transactions) if (each.ticket === undefined) answers.set(each, next(each.writes));
    for (const each of this.#ticketed(true)) answers.set(each, next(each.writes));
    for (const { rendered, writes } of this.#rendered) rendered.onEnded({ outcome: "stored", stored: next(writes) });
    for (const each of this.#ticketed(false)) answers.set(each, next(each.writes));
    for (const [transaction, stored] of answers) transaction.answer({ outcome: "stored", stored });
  }

  /** Leaves a transaction to the next batch, and all later ones of its objects. */
  leave({ writes }: PendingTransaction): "waits" {
    for (const { id } of writes) this.#blocked.add(id);
    return "waits";
  }

  /** Tells the renderers. The transactions are still to be settled. */
  ended(outcome: Exclude<BatchEnd["outcome"], "stored">): void {
    for (const { rendered } of this.#rendered) rendered.onEnded({ outcome });
  }

  #hasRoomFor(count: number, chars: number): boolean {
    return this.#count + count <= this.#limits.batchCount && this.#chars + chars <= this.#limits.batchChars;
  }

  #renderOne(renderer: BatchRenderer, transactions: readonly PendingTransaction[]): readonly PendingTransaction[] {
    const isCurrent = (key: ObjectKey, revision: number): boolean =>
      this.#versions.revisionOf(key) === revision && !this.#ids.has(keyText(key));
    const tickets = transactions.map(({ ticket }) => ticket as Ticket);
    try {
      const rendered = renderer.render(tickets, isCurrent);
      const out = transactions.filter(({ ticket }) => rendered.excluded.has(ticket as Ticket));
      if (out.length < transactions.length) this.#add(rendered);
      for (const { ticket, answer } of out) answer(rendered.excluded.get(ticket as Ticket) as Excluded);
      return out;
    } catch (error) {
      for (const { fail } of transactions) fail(error);
      return transactions;
    }
  }

  #add(rendered: RenderedBatch): void {
    try {
      const writes = rendered.writes.map((write) => this.#versions.prepare(write));
      for (const write of writes) this.#requireCurrent(write);
      for (const { id } of writes) this.#ids.add(id);
      this.#rendered.push({ rendered, writes });
    } catch (error) {
      rendered.onEnded({ outcome: "rolled back" });
      throw error;
    }
  }

  #requireCurrent({ id, key, expected }: PreparedWrite): void {
    if (!this.#ids.has(id) && this.#versions.revisionOf(key) === expected) return;
    throw new Error(`a renderer changes an outdated version of ${key.name}`);
  }

  #renderedUnit(): readonly PreparedWrite[] {
    return [
      ...this.#ticketed(true).flatMap(({ writes }) => writes),
      ...this.#rendered.flatMap(({ writes }) => writes),
      ...this.#ticketed(false).flatMap(({ writes }) => writes),
    ];
  }

  #ticketed(isBeforeRendered: boolean): readonly PendingTransaction[] {
    return this.#transactions.filter((each) => each.ticket !== undefined && each.isBeforeRendered === isBeforeRendered);
  }
}
