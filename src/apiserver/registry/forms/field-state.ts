import { writeJson } from "../../../protocol/json-writer.ts";
import type { ManagedFieldsEntry, ObjectMeta } from "../../../protocol/object-meta.ts";
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

/** The state of an object, and when it was made. */
export interface Known {
  readonly state: FieldState;
  readonly madeSeconds: number;
}

const known = new WeakMap<Entries, Known>();

/** Undefined for an object whose managed fields came about without any form. */
export function knownState({ managedFields }: ObjectMeta): Known | undefined {
  return managedFields === undefined ? undefined : known.get(managedFields);
}

export function rememberState({ metadata: { managedFields } }: ApiObject, state: Known): void {
  if (managedFields !== undefined) known.set(managedFields, state);
}

/** States that were come across, by schema and by what is owned. */
const found = new WeakMap<CompiledSchema, Map<string, FieldState>>();

/**
 * Comes to know the state of an object that somebody made before, perhaps before this program started. Not of one with an
 * owner: there is no other like it.
 */
export function findState(object: ApiObject, schema: CompiledSchema, nowSeconds: number): void {
  const { managedFields = [], ownerReferences } = object.metadata;
  if (managedFields.length !== 2 || ownerReferences !== undefined) return;
  const states = found.get(schema) ?? new Map<string, FieldState>();
  found.set(schema, states);
  const text = writeJson(managedFields.map(({ time: _, ...entry }) => entry));
  if (states.size >= statesMax) states.clear();
  const state = states.get(text) ?? new FieldState();
  states.set(text, state);
  rememberState(object, { state, madeSeconds: nowSeconds });
}
