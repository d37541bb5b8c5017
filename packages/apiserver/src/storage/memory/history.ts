import type { Scope } from "../object-key.ts";
import { type Change, RevisionCompacted } from "../object-store.ts";
import type { StoreLimits } from "../store-limits.ts";
import type { StoredObject } from "../stored-object.ts";
import { TransactionBounds } from "../transaction-bounds.ts";
import { compareKeys, keyText } from "./key-order.ts";
import { inScope } from "./object-index.ts";
import { RevisionQueue } from "./revision-queue.ts";

interface Entry {
  readonly revision: number;
  readonly change: Change;
  readonly atMs: number;
  /** Size of its texts. */
  readonly chars: number;
}

/** The latest changes: watches replay them, and lists at older revisions undo them. */
export class History {
  readonly #limits: StoreLimits;
  readonly #all = new RevisionQueue<Entry>();
  readonly #byResource = new Map<string, RevisionQueue<Change>>();
  readonly #transactions = new TransactionBounds();
  #chars = 0;
  #compacted: number;

  constructor(compacted: number, limits: StoreLimits) {
    this.#compacted = compacted;
    this.#limits = limits;
  }

  /** Changes up to this revision are gone. */
  get compacted(): number {
    return this.#compacted;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** `more`: the next change belongs to the same transaction. */
  push(change: Change, nowMs: number, more: boolean): void {
    this.#transactions.add(change.revision, more);
    const { resource } = change.stored.key;
    const changes = this.#byResource.get(resource) ?? new RevisionQueue<Change>();
    this.#byResource.set(resource, changes);
    changes.push(change);
    const chars = charsOf(change);
    this.#all.push({ revision: change.revision, change, atMs: nowMs, chars });
    this.#chars += chars;
  }

  /** The changes in a scope after a revision. Throws RevisionCompacted. */
  after(revision: number, scope: Scope): readonly Change[] {
    this.require(revision);
    const changes = this.#byResource.get(scope.resource)?.after(revision) ?? [];
    return changes.filter(({ stored }) => inScope(scope, stored.key));
  }

  /** Throws unless all changes after a revision are available. */
  require(revision: number): void {
    if (revision >= this.#compacted) return;
    throw new RevisionCompacted(`history begins at revision ${this.#compacted}; ${revision} is older`);
  }

  /** The last revision of the transaction that a revision belongs to: lists at it show whole transactions. */
  wholeRevision(revision: number): number {
    return this.#transactions.endOf(revision);
  }

  /** Drops the oldest transaction if a limit is exceeded; never a part of one. */
  trim(nowMs: number): readonly Change[] {
    const oldest = this.#all.first;
    if (oldest === undefined || !this.#isOver(oldest, nowMs)) return [];
    const end = this.#transactions.endOf(oldest.change.revision);
    const forgotten: Change[] = [];
    for (let next = this.#all.first; next !== undefined && next.change.revision <= end; next = this.#all.first) {
      this.#drop(next);
      forgotten.push(next.change);
    }
    this.#compacted = end;
    this.#transactions.forget(end);
    return forgotten;
  }

  #drop({ change, chars }: Entry): void {
    const { resource } = change.stored.key;
    this.#all.shift();
    const changes = this.#byResource.get(resource);
    changes?.shift();
    if (changes?.size === 0) this.#byResource.delete(resource);
    this.#chars -= chars;
  }

  #isOver(oldest: Entry, nowMs: number): boolean {
    return (
      this.#all.size > this.#limits.historyCount ||
      this.#chars > this.#limits.historyChars ||
      nowMs - oldest.atMs >= this.#limits.historyMs
    );
  }
}

/** The state at an older revision: the latest state with later changes undone. */
export function* undo(newest: Iterable<StoredObject>, changes: readonly Change[]): Generator<StoredObject> {
  const undone = new Map<string, Change>();
  for (const change of changes) {
    const id = keyText(change.stored.key);
    if (!undone.has(id)) undone.set(id, change);
  }
  const olds = [...undone.values()].flatMap(({ previous }) => (previous === undefined ? [] : [previous]));
  olds.sort((left, right) => compareKeys(left.key, right.key));
  let next = 0;
  for (const stored of newest) {
    if (undone.has(keyText(stored.key))) continue;
    for (let old = olds[next]; old !== undefined && compareKeys(old.key, stored.key) < 0; old = olds[next]) {
      yield old;
      next += 1;
    }
    yield stored;
  }
  yield* olds.slice(next);
}

function charsOf({ stored, previous }: Change): number {
  return stored.text.length + (previous?.text.length ?? 0);
}
