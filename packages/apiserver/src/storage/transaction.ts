import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./stored-object.ts";

/** A change of one object, on the condition that its latest version is the expected one. */
export interface Write {
  readonly key: ObjectKey;
  /** The revision of the latest version; 0: the object does not exist. */
  readonly expected: number;
  /** The object to store; for a deletion, the last state that watchers see. The store sets the resourceVersion. */
  readonly object: JsonObject;
  readonly deleted: boolean;
}

export interface TransactionOptions {
  /** Lets a renderer add writes to the batch of this transaction. */
  readonly ticket?: Ticket | undefined;
  /** Whether this transaction precedes the renderer's writes, as a removal does whose counts are lowered after it. */
  readonly isBeforeRendered?: boolean;
}

export type TransactionResult =
  /** All writes are durable, in the given order. */
  | { readonly outcome: "stored"; readonly stored: readonly StoredObject[] }
  /** The latest version of one object is not the expected one, and nothing was written. */
  | { readonly outcome: "conflict"; readonly at: number; readonly current: StoredObject | undefined }
  /** The renderer excluded this transaction from the batch, and nothing was written. */
  | Excluded;

/** Why a renderer excludes a transaction from a batch. */
export type Excluded =
  /** It may fit into a later batch: to be submitted again after this. Never rejects. */
  | { readonly outcome: "busy"; readonly until: Promise<unknown> }
  /** It will not be accepted in any batch. */
  | { readonly outcome: "declined" };

/** A transaction's data for its renderer, opaque to the store. */
export interface Ticket {
  readonly renderer: BatchRenderer;
}

/**
 * Adds writes to a batch that depend on the transactions in it, such as counters that many of them change: one new
 * version covers them all.
 */
export interface BatchRenderer {
  /**
   * Called once per batch, synchronously, with its tickets in submission order. `isCurrent` tells whether a version is
   * the latest, and not changed by anything else in this batch.
   */
  render(tickets: readonly Ticket[], isCurrent: (key: ObjectKey, revision: number) => boolean): RenderedBatch;
}

export interface RenderedBatch {
  readonly writes: readonly Write[];
  /** Tickets whose transactions are excluded from this batch, and not covered by the writes. */
  readonly excluded: ReadonlyMap<Ticket, Excluded>;
  /** Called once, before any other party is notified of the batch. Must not throw. */
  readonly onEnded: (end: BatchEnd) => void;
}

export type BatchEnd =
  /** Everything is durable; `stored` are the renderer's own writes. */
  | { readonly outcome: "stored"; readonly stored: readonly StoredObject[] }
  /** Certainly nothing was written. */
  | { readonly outcome: "rolled back" }
  /** The outcome is unknown until a restart, and no further writes are accepted until then. */
  | { readonly outcome: "unknown" };
