import type { JsonValue } from "../../../protocol/json-value.ts";
import type { ManagedFieldsEntry } from "../../../protocol/object-meta.ts";
import { compareEntries } from "../patch/managed/managed-fields.ts";
import { utcText } from "../patch/managed/time-text.ts";
import type { ApiObject } from "../served-kind.ts";
import type { FieldState } from "./field-state.ts";

type Entry = ManagedFieldsEntry;

/** What objects in the same state come to that get statuses which look alike. */
export class StatusForm {
  /** Their state from then on. */
  readonly state: FieldState;
  #entry: Entry;
  #seconds = Number.NaN;

  /** Undefined when what was made of an object tells nothing about others. */
  static of(old: ApiObject, made: ApiObject, state: FieldState): StatusForm | undefined {
    const { managedFields = [] } = made.metadata;
    const [entry, ...others] = managedFields.filter(({ subresource }) => subresource === "status");
    if (managedFields.length !== 2 || entry === undefined || others.length > 0) return undefined;
    const before = old.metadata.managedFields?.find((each) => isSameOwner(each, entry));
    return before?.time === entry.time ? undefined : new StatusForm(entry, state.withStatus(entry));
  }

  private constructor(entry: Entry, state: FieldState) {
    this.#entry = entry;
    this.state = state;
  }

  make(old: ApiObject, status: JsonValue, timeSeconds: number): ApiObject {
    const entry = this.#entryAt(timeSeconds);
    const managedFields = [entry];
    for (const other of old.metadata.managedFields ?? []) {
      if (isSameOwner(other, entry)) continue;
      if (compareEntries(other, entry) < 0) managedFields.unshift(other);
      else managedFields.push(other);
    }
    return { ...old, metadata: { ...old.metadata, managedFields }, status } as unknown as ApiObject;
  }

  /** The very same for all that are written within a second. */
  #entryAt(timeSeconds: number): Entry {
    if (this.#seconds !== timeSeconds) {
      this.#entry = { ...this.#entry, time: utcText(timeSeconds) };
      this.#seconds = timeSeconds;
    }
    return this.#entry;
  }
}

/** Whether both are of the same owner of a status. */
function isSameOwner(one: Entry, other: Entry): boolean {
  return (
    one.subresource === other.subresource &&
    one.manager === other.manager &&
    one.operation === other.operation &&
    one.apiVersion === other.apiVersion
  );
}
