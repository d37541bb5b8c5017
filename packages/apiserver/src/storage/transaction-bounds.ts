import { RevisionQueue } from "./memory/revision-queue.ts";

interface Transaction {
  readonly first: number;
  /** Its last revision, by which it is found. */
  readonly revision: number;
}

/** The bounds of transactions with more than one write, within the history. */
export class TransactionBounds {
  readonly #transactions = new RevisionQueue<Transaction>();
  #first: number | undefined;

  /** Revisions come in order; `more`: the next one belongs to the same transaction. */
  add(revision: number, more: boolean): void {
    if (more) {
      this.#first ??= revision;
      return;
    }
    if (this.#first !== undefined) this.#transactions.push({ first: this.#first, revision });
    this.#first = undefined;
  }

  /** The last revision of the transaction that a revision belongs to; itself otherwise. */
  endOf(revision: number): number {
    const next = this.#transactions.firstAfter(revision);
    return next !== undefined && next.first <= revision ? next.revision : revision;
  }

  /** Drops bounds before a revision. */
  forget(revision: number): void {
    while ((this.#transactions.first?.revision ?? Number.POSITIVE_INFINITY) <= revision) this.#transactions.shift();
  }
}
