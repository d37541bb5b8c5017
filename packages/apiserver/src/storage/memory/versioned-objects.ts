import type { CompactionStep } from "../compaction.ts";
import type { LogRecord } from "../log/record-log.ts";
import type { ObjectKey, Scope } from "../object-key.ts";
import type { Change, ListOptions } from "../object-store.ts";
import type { StoreLimits } from "../store-limits.ts";
import type { StoredObject } from "../stored-object.ts";
import { History, undo } from "./history.ts";
import { compareKeys } from "./key-order.ts";
import { ObjectIndex } from "./object-index.ts";
import { ParsedVersions } from "./parsed-versions.ts";
import { type Parsed, StoredVersion } from "./stored-version.ts";
import { TextCompressor } from "./text-compressor.ts";

/** All durable objects and their recent history, in memory: the same records in the same order make the same state. */
export class VersionedObjects {
  readonly #index = new ObjectIndex();
  readonly #history: History;
  readonly #texts = new TextCompressor();
  readonly #parsed: ParsedVersions;
  #revision: number;
  /** The revision of the last record. */
  #last = 0;

  constructor(compacted: number, limits: StoreLimits) {
    this.#history = new History(compacted, limits);
    this.#parsed = new ParsedVersions(limits, this.#texts);
    this.#revision = compacted;
  }

  get revision(): number {
    return this.#revision;
  }

  get oldestRevision(): number {
    return this.#history.compacted;
  }

  wholeRevision(revision: number): number {
    return this.#history.wholeRevision(revision);
  }

  get hasHistory(): boolean {
    return !this.#history.isEmpty;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#index.get(key);
  }

  get resources(): readonly string[] {
    return this.#index.resources;
  }

  count(scope: Scope): number {
    return this.#index.count(scope);
  }

  list(scope: Scope, { at, after }: ListOptions = {}): Iterable<StoredObject> {
    const newest = this.#index.list(scope, after);
    if (at === undefined || at === this.#revision) return newest;
    if (at > this.#revision) throw new RangeError(`revision ${at} is newer than the newest, ${this.#revision}`);
    const isListed = ({ stored }: Change) => after === undefined || compareKeys(stored.key, after) > 0;
    const changes = this.#history.after(at, scope).filter(isListed);
    return { [Symbol.iterator]: () => undo(newest, changes) };
  }

  /** The changes after a revision in a scope. Throws RevisionCompacted. */
  changesAfter(revision: number, scope: Scope): readonly Change[] {
    return this.#history.after(revision, scope);
  }

  /** A key that is equal and shares its memory with what is stored. */
  ownKey(key: ObjectKey): ObjectKey {
    return this.#index.get(key)?.key ?? this.newKey(key);
  }

  /** The same for a key that nothing is stored under. */
  newKey(key: ObjectKey): ObjectKey {
    return this.#index.shared(key);
  }

  /** Takes in the next record. Throws RangeError on one that does not follow from those before. */
  apply(record: LogRecord, object: Parsed | undefined, nowMs: number): Change {
    this.#follow(record.revision);
    const change = this.#apply(record, object);
    this.#revision = record.revision;
    this.#history.push(change, nowMs, record.more);
    return change;
  }

  /** Lets go of the object of a version that has been followed by another. */
  outdated(version: StoredObject): void {
    if (version instanceof StoredVersion) this.#parsed.remove(version);
  }

  /** Takes in a record from before history begins; returns the revisions of records nobody can ask for any more. */
  restore(record: LogRecord): readonly number[] {
    this.#follow(record.revision);
    if (record.deleted && this.#index.get(record.key) === undefined) return [record.revision];
    return obsoleteOnce(this.#apply(record, undefined));
  }

  /** Forgets the oldest transaction if a limit of history says so. */
  forget(nowMs: number): CompactionStep | undefined {
    const changes = this.#history.trim(nowMs);
    if (changes.length === 0) return undefined;
    return { compacted: this.#history.compacted, obsolete: changes.flatMap(obsoleteOnce) };
  }

  #follow(revision: number): void {
    if (revision <= this.#last) throw new RangeError(`revision ${revision} follows revision ${this.#last}`);
    this.#last = revision;
  }

  #apply(record: LogRecord, object: Parsed | undefined): Change {
    const { key, revision, deleted } = record;
    const stored = new StoredVersion(record, this.#parsed);
    if (object === undefined) stored.rest(this.#texts);
    else stored.hold(object, this.#parsed);
    if (!deleted) {
      const previous = this.#index.set(stored);
      return { type: previous === undefined ? "added" : "modified", revision, stored, previous };
    }
    const previous = this.#index.delete(key);
    if (previous === undefined) throw new RangeError(`revision ${revision} deletes ${key.name}, which is not there`);
    return { type: "deleted", revision, stored, previous };
  }
}

/** The records that are not needed once nobody can ask for what was before a change; a deletion is then one of them. */
function obsoleteOnce({ type, revision, previous }: Change): readonly number[] {
  const before = previous === undefined ? [] : [previous.revision];
  return type === "deleted" ? [...before, revision] : before;
}
