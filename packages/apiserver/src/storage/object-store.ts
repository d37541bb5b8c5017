import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { LogFull } from "./log/record-log.ts";
import type { ObjectKey, Scope } from "./object-key.ts";
import type { StoredObject } from "./stored-object.ts";
import type { TransactionOptions, TransactionResult, Write } from "./transaction.ts";

/** The effect of one write. */
export type Change =
  | {
      readonly type: "added" | "modified";
      readonly revision: number;
      readonly stored: StoredObject;
      /** The previous version; undefined when the object is new. */
      readonly previous: StoredObject | undefined;
    }
  | {
      readonly type: "deleted";
      readonly revision: number;
      /** The last state of the object, with the revision of its deletion. */
      readonly stored: StoredObject;
      readonly previous: StoredObject;
    };

export type WriteResult =
  | { readonly ok: true; readonly stored: StoredObject }
  /** Conflict; nothing changed. Undefined when the object does not exist. */
  | { readonly ok: false; readonly current: StoredObject | undefined };

export interface ListOptions {
  /** The revision to list at; the latest when left out. */
  readonly at?: number;
  /** Only objects after this one, in order. */
  readonly after?: ObjectKey;
}

/** The requested revision is older than the history. */
export class RevisionCompacted extends Error {
  override readonly name = "RevisionCompacted";
}

/**
 * A write failed; the message says what to do. On a full disk nothing was written; after a disk failure, a restart
 * shows whether it was.
 */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";

  /** Whether the disk is full: soon trying again is of no use. */
  get isFull(): boolean {
    return this.cause instanceof LogFull;
  }
}

/** An object exceeds the limits of size or depth; nothing was written. */
export class ObjectTooLarge extends Error {
  override readonly name = "ObjectTooLarge";
}

/** All objects of all planes, with one revision counter. Only durable writes are visible to readers and watchers. */
export interface ObjectStore {
  /** The latest durable revision; 1 before the first write. */
  readonly revision: number;
  /** The oldest revision that lists and watches can start from. */
  readonly oldestRevision: number;

  /** Why writes fail until a restart; undefined while they work. */
  readonly writeFailure: string | undefined;

  /** The same, and also why only removals are written while the disk is full. */
  readonly writeProblem: string | undefined;

  /**
   * The last revision of the transaction that a revision belongs to; itself otherwise. Lists use such revisions only,
   * so that no list shows a part of a transaction.
   */
  wholeRevision(revision: number): number;

  get(key: ObjectKey): StoredObject | undefined;

  /** Settles when no write of this object is pending, so that `get` returns the latest state. */
  writesSettled(key: ObjectKey): Promise<void>;

  /** Settles when every currently pending write is visible or has failed. */
  settled(): Promise<void>;

  /**
   * Writes an object if its latest version is still `expected` (0: it does not exist). Sets the resourceVersion. The
   * store keeps the object and shares it with readers: it must not be modified any more. Rejects with
   * StorageUnavailable and ObjectTooLarge; with TypeError on an invalid key.
   */
  put(key: ObjectKey, expected: number, object: JsonObject): Promise<WriteResult>;

  /** Deletes an object if its latest version is still `expected`; watchers see `last`. */
  remove(key: ObjectKey, expected: number, last: JsonObject): Promise<WriteResult>;

  /**
   * Makes all changes or none, in one append to the log: no reader ever sees a part of them. Each object is changed
   * once; the changes have consecutive revisions in the given order. Rejects as `put` does.
   */
  transact(writes: readonly Write[], options?: TransactionOptions): Promise<TransactionResult>;

  /**
   * In order of plane, namespace and name, by bytes. Iterates over the state at the time of the call, and can be
   * iterated again or stopped early. Throws RevisionCompacted on a revision that is too old, RangeError on one in the
   * future.
   */
  list(scope: Scope, options?: ListOptions): Iterable<StoredObject>;

  /** Number of objects in a scope, at the latest revision. Cheap for a whole resource of a plane. */
  count(scope: Scope): number;

  /**
   * Calls the listener for every change after `from`, in order: for changes in the history before it returns, and then
   * as writes become durable. Returns the function that unsubscribes. A listener may end any watch; one that throws is
   * unsubscribed. Throws RevisionCompacted.
   */
  watch(scope: Scope, from: number, listener: (change: Change) => void): () => void;

  /** The resources that have objects. */
  resources(): readonly string[];

  /** Calls the listener for every later change. Returns the function that unsubscribes. */
  watchAll(listener: (change: Change) => void): () => void;

  /** Rejects further writes, waits for pending ones, and releases the disk. Reads continue to work, watches end. */
  close(): Promise<void>;
}
