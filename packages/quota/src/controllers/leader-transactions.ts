import type { ObjectPlace } from "@milo-quota/kubernetes/client/watch/object-place.ts";
import type { NotedNeeds, ObjectNeeds } from "./ownership/objects/object-needs.ts";
import type { ObjectReleases } from "./ownership/objects/object-releases.ts";
import type { RenderedBuckets } from "./writer/transactions/bucket-batch.ts";
import type { NewClaim, QuotaTicket, ReleasedClaim } from "./writer/transactions/ticket.ts";
import type { Transactions } from "./writer/transactions/transactions.ts";
import type { IsCurrent } from "./writer/transactions/transactions-options.ts";

/** Parts of the controllers that a server in this process asks while this process leads. */
export interface LeadingParts {
  readonly transactions: Transactions;
  readonly releases: ObjectReleases;
  readonly needs: ObjectNeeds;
}

const nothing = (): void => undefined;

/** Quota in one transaction with objects, while this process leads; before and after that, it is decided by itself. */
export class LeaderTransactions {
  #parts: LeadingParts | undefined;

  lead(parts: LeadingParts): void {
    this.#parts = parts;
  }

  end(): void {
    this.#parts = undefined;
  }

  try(granted: readonly NewClaim[], released: readonly ReleasedClaim[]): QuotaTicket | undefined {
    return this.#parts?.transactions.try(granted, released);
  }

  render(tickets: readonly QuotaTicket[], isCurrent: IsCurrent): RenderedBuckets {
    return this.#parts?.transactions.render(tickets, isCurrent) ?? allDeclined(tickets);
  }

  onRemoval: ObjectReleases["onRemoval"] = (address, uid, stored) =>
    this.#parts?.releases.onRemoval(address, uid, stored) ?? [];

  onChange: ObjectReleases["onChange"] = (address, uid, needs, stored) =>
    this.#parts?.releases.onChange(address, uid, needs, stored) ?? [];

  /** What policies made of a new object that was stored. */
  noteNeeds(noted: NotedNeeds): void {
    this.#parts?.needs.note(noted);
  }

  /** An object was stored together with these claims. */
  noteClaims(uid: string, claims: readonly ObjectPlace[]): void {
    this.#parts?.releases.note(uid, claims);
  }
}

function allDeclined(tickets: readonly QuotaTicket[]): RenderedBuckets {
  const leftOut = new Map(tickets.map((ticket) => [ticket, { outcome: "declined" as const }]));
  return { pages: [], leftOut, stored: nothing, rolledBack: nothing, unknown: nothing };
}
