import type { JsonValue } from "../../../protocol/json-value.ts";
import type { ManagedFieldsEntry } from "../../../protocol/object-meta.ts";
import { utcText } from "../patch/managed/time-text.ts";
import type { ApiObject } from "../served-kind.ts";
import type { FieldState } from "./field-state.ts";

/** What objects in the same state come to that get statuses which look alike. */
export class StatusForm {
  /** Their state from then on. */
  readonly state: FieldState;
  #entry: ManagedFieldsEntry;
  #seconds = Number.NaN;

  /** Undefined when what was made of an object tells nothing about others. */
  static of(old: ApiObject, made: ApiObject, state: FieldState): StatusForm | undefined {
    const [first, last] = old.metadata.managedFields ?? [];
    const [, entry, ...others] = made.metadata.managedFields ?? [];
    if (entry?.subresource !== "status" || others.length > 0 || entry.manager !== first?.manager) return undefined;
    // Whether its time moves cannot be seen within the same second.
    return last?.time === entry.time ? undefined : new StatusForm(entry, state.withStatus(entry));
  }

  private constructor(entry: ManagedFieldsEntry, state: FieldState) {
    this.#entry = entry;
    this.state = state;
  }

  make(old: ApiObject, status: JsonValue, timeSeconds: number): ApiObject {
    const [first] = old.metadata.managedFields ?? [];
    const managedFields = [first, this.#entryAt(timeSeconds)];
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
