import type { LogRecord } from "@milo-quota/apiserver/storage/log/record-log.ts";
import { compareKeys, keyText } from "@milo-quota/apiserver/storage/memory/key-order.ts";
import type { ObjectKey, Scope } from "@milo-quota/apiserver/storage/object-key.ts";
import { readJson } from "@milo-quota/kubernetes/protocol/json-reader.ts";
import type { StoredChange, StoredObject, Truth } from "./world.ts";

/** The ground truth, replayed from log records. */
export class RecordedTruth implements Truth {
  readonly #byResource = new Map<string, Map<string, StoredObject>>();
  readonly #listeners: ((change: StoredChange) => void)[] = [];
  readonly #nowMs: () => number;
  #revision = 0;
  /** Transactions of several writes, by each of their revisions. */
  readonly #transactions = new Map<number, readonly LogRecord[]>();
  #open: LogRecord[] = [];

  constructor(records: Iterable<LogRecord>, nowMs: () => number) {
    this.#nowMs = nowMs;
    for (const record of records) this.take(record);
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: ObjectKey): StoredObject | undefined {
    return this.#byResource.get(key.resource)?.get(keyText(key));
  }

  list({ plane, resource, namespace }: Scope): readonly StoredObject[] {
    return [...(this.#byResource.get(resource)?.values() ?? [])]
      .filter(({ key }) => plane === undefined || key.plane === plane)
      .filter(({ key }) => namespace === undefined || key.namespace === namespace)
      .sort((left, right) => compareKeys(left.key, right.key));
  }

  onChange(listener: (change: StoredChange) => void): void {
    this.#listeners.push(listener);
  }

  /** The last revision of the transaction that contains a revision. */
  endOf(revision: number): number {
    return this.transactionAt(revision).at(-1)?.revision ?? revision;
  }

  /** All writes of the transaction that contains a revision. */
  transactionAt(revision: number): readonly LogRecord[] {
    return this.#transactions.get(revision) ?? [];
  }

  #noteTransaction(record: LogRecord): void {
    this.#open.push(record);
    if (record.more) return;
    if (this.#open.length > 1) for (const { revision } of this.#open) this.#transactions.set(revision, this.#open);
    this.#open = [];
  }

  take(record: LogRecord): void {
    const { key, revision, deleted, more } = record;
    const objects = this.#byResource.get(key.resource) ?? new Map<string, StoredObject>();
    this.#byResource.set(key.resource, objects);
    const id = keyText(key);
    const before = objects.get(id);
    const now = storedObject(record);
    if (deleted) objects.delete(id);
    else objects.set(id, now);
    this.#revision = revision;
    this.#noteTransaction(record);
    const type = deleted ? "deleted" : before === undefined ? "added" : "modified";
    for (const listener of this.#listeners) listener({ type, atMs: this.#nowMs(), now, before, more });
  }
}

/** Parses the object on first access. */
function storedObject({ key, revision, text }: LogRecord): StoredObject {
  let object: StoredObject["object"] | undefined;
  return {
    key,
    revision,
    text,
    get object() {
      object ??= readJson(text) as StoredObject["object"];
      return object;
    },
  };
}
