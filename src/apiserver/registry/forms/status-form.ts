import type { JsonValue } from "../../../protocol/json-value.ts";
import type { ManagedFieldsEntry } from "../../../protocol/object-meta.ts";
import { utcText } from "../patch/managed/time-text.ts";
import type { ApiObject } from "../served-kind.ts";

/** What an object comes to that was made by a form and gets a status that looks like another before it. */
export class StatusForm {
  #entry: ManagedFieldsEntry;
  #seconds = Number.NaN;

  /** Undefined when what was made of an object tells nothing about others. */
  static of(old: ApiObject, made: ApiObject): StatusForm | undefined {
    const [first] = old.metadata.managedFields ?? [];
    const [, entry, ...others] = made.metadata.managedFields ?? [];
    if (entry === undefined || others.length > 0 || entry.manager !== first?.manager) return undefined;
    return new StatusForm(entry);
  }

  private constructor(entry: ManagedFieldsEntry) {
    this.#entry = entry;
  }

  make(old: ApiObject, status: JsonValue, timeSeconds: number): ApiObject {
    const managedFields = [...(old.metadata.managedFields ?? []), this.#entryAt(timeSeconds)];
    return { ...old, metadata: { ...old.metadata, managedFields }, status } as unknown as ApiObject;
  }

  /** The very same for all that are written within a second. */
  #entryAt(timeSeconds: number): ManagedFieldsEntry {
    if (this.#seconds !== timeSeconds) {
      this.#entry = { ...this.#entry, time: utcText(timeSeconds) };
      this.#seconds = timeSeconds;
    }
    return this.#entry;
  }
}
