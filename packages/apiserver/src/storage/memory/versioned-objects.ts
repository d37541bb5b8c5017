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
import { type ParsedObject, StoredVersion } from "./stored-version.ts";
import { TextCompressor } from "./text-compressor.ts";

/**
 * All durable objects and their recent history, in memory. Deterministic: the same records in the same order give the
 * same state.
 */
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
    if (at > this.#revision) throw new RangeError(`revision ${at} is newer than the latest, ${this.#revision}`);
    const isListed = ({ stored }: Change) => after === undefined || compareKeys(stored.key, after) > 0;
    const changes = this.#history.after(at, scope).filter(isListed);
    return { [Symbol.iterator]: () => undo(newest, changes) };
  }

  /** The changes in a scope after a revision. Throws RevisionCompacted. */
  changesAfter(revision: number, scope: Scope): readonly Change[] {
    return this.#history.after(revision, scope);
  }

  /** An equal key that shares its strings with stored ones. */
  sharedKey(key: ObjectKey): ObjectKey {
    return this.#index.get(key)?.key ?? this.newKey(key);
  }

  /** The same for a key without an object. */
  newKey(key: ObjectKey): ObjectKey {
    return this.#index.shared(key);
  }

  /** Applies the next record. Throws RangeError on one that does not follow from those before. */
  apply(record: LogRecord, object: ParsedObject | undefined, nowMs: number): Change {
    this.#follow(record.revision);
    const change = this.#apply(record, object);
    this.#revision = record.revision;
    this.#history.push(change, nowMs, record.more);
    return change;
  }

  /** Drops the parsed object of a version that was superseded. */
  dropSuperseded(version: StoredObject): void {
    if (version instanceof StoredVersion) this.#parsed.remove(version);
  }

  /** Applies a record from before the beginning of history; returns the revisions of obsolete records. */
  restore(record: LogRecord): readonly number[] {
    this.#follow(record.revision);
    if (record.deleted && this.#index.get(record.key) === undefined) return [record.revision];
    return obsoleteOnce(this.#apply(record, undefined));
  }

  /** Drops the oldest transaction if a limit of history is exceeded. */
  trimHistory(nowMs: number): CompactionStep | undefined {
    const changes = this.#history.trim(nowMs);
    if (changes.length === 0) return undefined;
    return { compacted: this.#history.compacted, obsolete: changes.flatMap(obsoleteOnce) };
  }

  #follow(revision: number): void {
    if (revision <= this.#last) throw new RangeError(`revision ${revision} follows revision ${this.#last}`);
    this.#last = revision;
  }

  #apply(record: LogRecord, object: ParsedObject | undefined): Change {
    const { key, revision, deleted } = record;
    const stored = new StoredVersion(record, this.#parsed);
    if (object === undefined) stored.compress(this.#texts);
    else stored.cacheParsed(object, this.#parsed);
    if (!deleted) {
      const previous = this.#index.set(stored);
      return { type: previous === undefined ? "added" : "modified", revision, stored, previous };
    }
    const previous = this.#index.delete(key);
    if (previous === undefined) throw new RangeError(`revision ${revision} deletes ${key.name}, which does not exist`);
    return { type: "deleted", revision, stored, previous };
  }
}

/** The records that become obsolete when a change leaves the history; a deletion is one of them itself. */
function obsoleteOnce({ type, revision, previous }: Change): readonly number[] {
  const before = previous === undefined ? [] : [previous.revision];
  return type === "deleted" ? [...before, revision] : before;
}
