import type { JsonObject } from "@milo-quota/kubernetes/protocol/json-value.ts";
import type { ObjectKey, Scope } from "./object-key.ts";
import type { StoredObject } from "./stored-object.ts";
import type { TransactionOptions, TransactionResult, Write } from "./transaction.ts";

/** What one write did. */
export type Change =
  | {
      readonly type: "added" | "modified";
      readonly revision: number;
      readonly stored: StoredObject;
      /** The version before; undefined when the object is new. */
      readonly previous: StoredObject | undefined;
    }
  | {
      readonly type: "deleted";
      readonly revision: number;
      /** The last state of the object, under the revision of its deletion. */
      readonly stored: StoredObject;
      readonly previous: StoredObject;
    };

export type WriteResult =
  | { readonly ok: true; readonly stored: StoredObject }
  /** Somebody else wrote first; nothing changed. Undefined when the object is not there. */
  | { readonly ok: false; readonly current: StoredObject | undefined };

export interface ListOptions {
  /** A revision to list at; the newest when left out. */
  readonly at?: number;
  /** Only objects after this one, in order. */
  readonly after?: ObjectKey;
}

/** History does not reach back to the revision asked for. */
export class RevisionCompacted extends Error {
  override readonly name = "RevisionCompacted";
}

/**
 * A write was not taken, and the message says what to do. On a full disk nothing of it is there; on a disk that failed
 * in the middle of it, a restart shows whether it is.
 */
export class StorageUnavailable extends Error {
  override readonly name = "StorageUnavailable";
}

/** An object is larger than any may be, or nested deeper; nothing of it was written. */
export class ObjectTooLarge extends Error {
  override readonly name = "ObjectTooLarge";
}

/**
 * All objects of all planes, under one counter of revisions. Everything it shows is durable: a write is seen by readers
 * and watchers once it can no longer be lost.
 */
export interface ObjectStore {
  /** The newest durable revision; 1 before anything was written. */
  readonly revision: number;
  /** The oldest revision that lists and watches can start from. */
  readonly oldestRevision: number;

  /** Why nothing more is written until a restart; undefined while all is well. */
  readonly fault: string | undefined;

  /**
   * The end of the transaction that a revision is in; itself, when it is in none. Lists name only such revisions: no
   * list shows a part of a transaction.
   */
  wholeRevision(revision: number): number;

  get(key: ObjectKey): StoredObject | undefined;

  /** Settles when no write of this object is on its way, so that `get` shows the newest state. */
  quiet(key: ObjectKey): Promise<void>;

  /** Settles when every write that is on its way now can be seen, or has failed. */
  settled(): Promise<void>;

  /**
   * Writes an object if its newest version is still `expected` (0: it does not exist). The resourceVersion is set here.
   * The object is kept as it is, and shared with all who read it: nobody may change it any more.
   * Rejects with StorageUnavailable and ObjectTooLarge; with TypeError on a key that names cannot make.
   */
  put(key: ObjectKey, expected: number, object: JsonObject): Promise<WriteResult>;

  /** Deletes an object if its newest version is still `expected`; `last` is what watchers see of it. */
  remove(key: ObjectKey, expected: number, last: JsonObject): Promise<WriteResult>;

  /**
   * Makes several changes or none, in one append to the log: nobody ever sees a part of them. Each object is changed
   * once; each change has a revision of its own, and they follow each other in the given order. Rejects as `put` does.
   */
  transact(writes: readonly Write[], options?: TransactionOptions): Promise<TransactionResult>;

  /**
   * In order of plane, namespace and name, by bytes. What is iterated is the state at the time of this call, whatever is
   * written meanwhile, and may be iterated again. A caller may stop early. Throws RevisionCompacted on a revision that
   * is too old, RangeError on one that is yet to come.
   */
  list(scope: Scope, options?: ListOptions): Iterable<StoredObject>;

  /** How many objects are in a scope, as of the newest revision. Cheap for a whole resource of a plane. */
  count(scope: Scope): number;

  /**
   * Calls for every change after `from`, in order: for what history holds before it returns, and from then on as
   * writes become durable. Returns how to stop. A listener may stop any watch; one that throws is told nothing more.
   * Throws RevisionCompacted.
   */
  watch(scope: Scope, from: number, listener: (change: Change) => void): () => void;

  /** The resources that there are objects of. */
  resources(): readonly string[];

  /** Calls for every change of anything from now on. Returns how to stop. */
  watchAll(listener: (change: Change) => void): () => void;

  /** Stops taking writes, waits for those on their way, and lets go of the disk. Reads go on, watches do not. */
  close(): Promise<void>;
}
