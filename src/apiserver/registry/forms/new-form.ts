import { extended } from "../../../protocol/extended.ts";
import type { JsonObject } from "../../../protocol/json-value.ts";
import type { ManagedFieldsEntry, ObjectMeta } from "../../../protocol/object-meta.ts";
import { uidElement } from "../patch/fields/path-element.ts";
import { utcText } from "../patch/managed/time-text.ts";
import type { ApiObject } from "../served-kind.ts";
import { FieldState } from "./field-state.ts";

type Entries = readonly ManagedFieldsEntry[];
type Fields = NonNullable<ManagedFieldsEntry["fieldsV1"]>;

/** What new objects that look alike come to, as far as it does not depend on their values. */
export class NewForm {
  readonly state = new FieldState();
  readonly #entry: ManagedFieldsEntry;
  /** What the server adds: defaults. */
  readonly #added: JsonObject;
  #latest: Entries = [];
  #latestSeconds = Number.NaN;

  /** Undefined when what was made of an object tells nothing about others. */
  static of(sent: ApiObject, made: ApiObject): NewForm | undefined {
    const [entry, ...others] = made.metadata.managedFields ?? [];
    if (entry === undefined || others.length > 0 || Object.hasOwn(sent, "status")) return undefined;
    const added = Object.entries(made).filter(([name]) => !Object.hasOwn(sent, name));
    return new NewForm(entry, Object.fromEntries(added) as JsonObject);
  }

  private constructor(entry: ManagedFieldsEntry, added: JsonObject) {
    this.#entry = entry;
    this.#added = added;
  }

  /** The object that a sent one becomes. */
  make(sent: ApiObject, timeSeconds: number): ApiObject {
    const { kind, apiVersion } = sent;
    const metadata = extended(sent.metadata, { managedFields: this.#entries(sent.metadata, timeSeconds) });
    const made: Record<string, unknown> = { kind, apiVersion, metadata };
    for (const name of Object.keys(sent)) if (!Object.hasOwn(made, name)) made[name] = sent[name];
    for (const name of Object.keys(this.#added)) made[name] = this.#added[name];
    return made as unknown as ApiObject;
  }

  #entries({ ownerReferences = [] }: ObjectMeta, timeSeconds: number): Entries {
    const [owner] = ownerReferences;
    if (owner !== undefined) return this.#written(timeSeconds, withOwner(this.#entry.fieldsV1 ?? {}, owner.uid));
    if (this.#latestSeconds !== timeSeconds) {
      this.#latest = this.#written(timeSeconds, this.#entry.fieldsV1 ?? {});
      this.#latestSeconds = timeSeconds;
    }
    return this.#latest;
  }

  #written(timeSeconds: number, fieldsV1: Fields): Entries {
    return [{ ...this.#entry, time: utcText(timeSeconds), fieldsV1 }];
  }
}

const nothing: JsonObject = {};

/** The same fields of an object that belongs to somebody else: a reference is known by the UID of the owner. */
function withOwner(fields: Fields, uid: string): Fields {
  const references = dictionary();
  references["."] = nothing;
  references[uidElement(uid).text] = nothing;
  const metadata = { ...(fields["f:metadata"] as Fields), "f:ownerReferences": references };
  return { ...fields, "f:metadata": metadata };
}

/** For a name that no other object has: as an ordinary object, each would make a hidden class for itself alone. */
function dictionary(): Record<string, JsonObject> {
  return Object.setPrototypeOf(Object.create(null), Object.prototype) as Record<string, JsonObject>;
}
