import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectKey } from "./object-key.ts";
import type { StoredObject } from "./stored-object.ts";

/** A change of one object, made only if the object's newest version is still the expected one. */
export interface Write {
  readonly key: ObjectKey;
  /** The revision of the newest version; 0: the object does not exist. */
  readonly expected: number;
  /** What is stored; on a deletion, what watchers see of it last. The resourceVersion is set by the store. */
  readonly object: JsonObject;
  readonly deleted: boolean;
}

export interface TransactionOptions {
  /** Has a renderer add writes to the batch that this transaction is in. */
  readonly ticket?: Ticket | undefined;
  /** Whether this transaction comes before what the renderer adds: a removal, say, whose counts are lowered after it. */
  readonly isBeforeRendered?: boolean;
}

export type TransactionResult =
  /** All writes are durable, in the order given. */
  | { readonly outcome: "stored"; readonly stored: readonly StoredObject[] }
  /** The newest version of one object is another than expected, and nothing was written. */
  | { readonly outcome: "conflict"; readonly at: number; readonly current: StoredObject | undefined }
  /** The renderer left this transaction out of the batch, and nothing was written. */
  | LeftOut;

/** Why a renderer leaves a transaction out of a batch. */
export type LeftOut =
  /** It would fit into a later one: to be handed over again after this. Never rejects. */
  | { readonly outcome: "busy"; readonly until: Promise<unknown> }
  /** Not this one, nor any other. */
  | { readonly outcome: "declined" };

/** What a transaction hands to its renderer. The renderer knows what is in it. */
export interface Ticket {
  readonly renderer: BatchRenderer;
}

/**
 * Adds writes to a batch that depend on which transactions are in it, such as counters that many of them change: one new
 * version counts them all.
 */
export interface BatchRenderer {
  /**
   * Called once for each batch, synchronously, with the tickets in it in the order in which they were handed over.
   * `isCurrent` tells whether a version is the newest, and not changed by anything else in this batch.
   */
  render(tickets: readonly Ticket[], isCurrent: (key: ObjectKey, revision: number) => boolean): RenderedBatch;
}

export interface RenderedBatch {
  readonly writes: readonly Write[];
  /** Tickets whose transactions stay out of this batch. The writes do not count them. */
  readonly leftOut: ReadonlyMap<Ticket, LeftOut>;
  /** Called once, before anybody else hears of the batch. Must not throw. */
  readonly ended: (end: BatchEnd) => void;
}

export type BatchEnd =
  /** Everything is durable; `stored` are the renderer's own writes. */
  | { readonly outcome: "stored"; readonly stored: readonly StoredObject[] }
  /** Certainly nothing was written. */
  | { readonly outcome: "rolled back" }
  /** Nobody knows before the next start, and nothing more is written until then. */
  | { readonly outcome: "unknown" };
