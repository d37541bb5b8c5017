import { writeJson } from "../../../protocol/json-writer.ts";
import type { ManagedFieldsEntry } from "../../../protocol/object-meta.ts";
import type { CompiledSchema } from "../../../schema/compiled-schema.ts";
import { ShapeTree } from "../patch/fields/shape-tree.ts";
import type { ApiObject } from "../served-kind.ts";
import type { StatusForm } from "./status-form.ts";

type Entries = readonly ManagedFieldsEntry[];

const shapesMax = 2_000;
const statesMax = 1_000;

/** Whose the fields of objects are that are alike in this, apart from the UID of an owner; and since when does not count. */
export class FieldState {
  /** What comes of a write of their status, by what that looks like. */
  readonly next = new ShapeTree<StatusForm>(shapesMax);
  /** States of the same objects, by what is owned of their status. */
  readonly #family: Map<string, FieldState>;

  constructor(family = new Map<string, FieldState>()) {
    this.#family = family;
  }

  /** The state of the same objects when this is owned of their status. */
  withStatus({ fieldsV1 = {} }: ManagedFieldsEntry): FieldState {
    const text = writeJson(fieldsV1);
    const known = this.#family.get(text);
    if (known !== undefined) return known;
    if (this.#family.size >= statesMax) this.#family.clear();
    const state = new FieldState(this.#family);
    this.#family.set(text, state);
    return state;
  }
}

const known = new WeakMap<Entries, FieldState>();

export function rememberState({ metadata: { managedFields } }: ApiObject, state: FieldState): void {
  if (managedFields !== undefined) known.set(managedFields, state);
}

/** States that were come across, by schema and by what is owned. */
const found = new WeakMap<CompiledSchema, Map<string, FieldState>>();

/** The state of an object that is stored; undefined for one with an owner that no form was seen to make: no other is like it. */
export function knownState({ metadata }: ApiObject, schema: CompiledSchema): FieldState | undefined {
  const { managedFields = [], ownerReferences } = metadata;
  const seen = known.get(managedFields);
  return seen !== undefined || ownerReferences !== undefined ? seen : foundState(managedFields, schema);
}

/** Of an object that somebody else made, or that was made long ago. */
function foundState(entries: Entries, schema: CompiledSchema): FieldState | undefined {
  if (entries.length === 0 || entries.length > 2) return undefined;
  const states = found.get(schema) ?? new Map<string, FieldState>();
  found.set(schema, states);
  const text = writeJson(entries.map(({ time: _, ...entry }) => entry));
  if (states.size >= statesMax) states.clear();
  const state = states.get(text) ?? new FieldState();
  states.set(text, state);
  return state;
}
