import type { PlaneObjectKey } from "@milo-quota/kubernetes/client/watch/plane-object-key.ts";
import type { AdmittedNeeds, ObjectNeeds } from "./ownership/objects/object-needs.ts";
import type { ObjectReleases } from "./ownership/objects/object-releases.ts";
import type { RenderedBuckets } from "./writer/transactions/bucket-batch.ts";
import type { NewClaim, QuotaTicket, ReleasedClaim } from "./writer/transactions/ticket.ts";
import type { Transactions } from "./writer/transactions/transactions.ts";
import type { IsCurrent } from "./writer/transactions/transactions-options.ts";

/** The controllers that the embedded server calls while this process leads. */
export interface LeaderParts {
  readonly transactions: Transactions;
  readonly releases: ObjectReleases;
  readonly needs: ObjectNeeds;
}

const nothing = (): void => undefined;

/** Decides claims in one transaction with their objects while this process leads; otherwise reconciles decide them. */
export class LeaderTransactions {
  #parts: LeaderParts | undefined;

  lead(parts: LeaderParts): void {
    this.#parts = parts;
  }

  end(): void {
    this.#parts = undefined;
  }

  prepare(granted: readonly NewClaim[], released: readonly ReleasedClaim[]): QuotaTicket | undefined {
    return this.#parts?.transactions.prepare(granted, released);
  }

  render(tickets: readonly QuotaTicket[], isCurrent: IsCurrent): RenderedBuckets {
    return this.#parts?.transactions.render(tickets, isCurrent) ?? allDeclined(tickets);
  }

  shrunkStatus: Transactions["shrunkStatus"] = (claim, left) => this.#parts?.transactions.shrunkStatus(claim, left);

  onRemoval: ObjectReleases["onRemoval"] = (address, uid, stored) =>
    this.#parts?.releases.onRemoval(address, uid, stored) ?? [];

  onChange: ObjectReleases["onChange"] = (address, uid, needs, stored) =>
    this.#parts?.releases.onChange(address, uid, needs, stored) ?? [];

  /** The claims that policies rendered at admission for an object that is now stored. */
  recordNeeds(admitted: AdmittedNeeds): void {
    this.#parts?.needs.recordAdmitted(admitted);
  }

  /** An object was stored together with these claims. */
  recordClaims(uid: string, claims: readonly PlaneObjectKey[]): void {
    this.#parts?.releases.recordClaims(uid, claims);
  }
}

function allDeclined(tickets: readonly QuotaTicket[]): RenderedBuckets {
  const leftOut = new Map(tickets.map((ticket) => [ticket, { outcome: "declined" as const }]));
  return { buckets: [], leftOut, stored: nothing, rolledBack: nothing, unknown: nothing };
}
