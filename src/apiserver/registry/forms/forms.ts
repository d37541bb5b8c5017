import { isJsonObject, type JsonObject, type JsonValue, jsonEquals } from "../../../protocol/json-value.ts";
import { writeJson } from "../../../protocol/json-writer.ts";
import type { CompiledSchema } from "../../../schema/compiled-schema.ts";
import type { WriteRequest } from "../object-request.ts";
import { changeShape, type LeftOut, nothingLeftOut } from "../patch/fields/change-shape.ts";
import { mergeTypeOf } from "../patch/fields/merge-type.ts";
import { type Shape, ShapeTree } from "../patch/fields/shape-tree.ts";
import { leavingOutReferences } from "../patch/managed/owner-references.ts";
import type { ApiObject } from "../served-kind.ts";
import { type FieldState, knownState, rememberState } from "./field-state.ts";
import { asFormed } from "./formed.ts";
import { NewForm } from "./new-form.ts";
import { StatusForm } from "./status-form.ts";

/** Makes the object that goes on its way, with all the care that strangers are met with, as at this time. */
type Carefully = (nowMs: number) => ApiObject;

const shapesMax = 20_000;
/** A shape that has told nothing so often never will; to ask costs as much as to make it. */
const triesMax = 3;

/** Forms of new objects, by schema and by who writes them. */
const forms = new WeakMap<CompiledSchema, Map<string, ShapeTree<NewForm>>>();

/**
 * A new object that a part of this program answers for, with its defaults and managed fields. Such objects come in the same
 * form again and again. The first of a form is met like a stranger, and tells what the others come to; `carefully` is how.
 */
export function formedNew(sent: ApiObject, request: WriteRequest, nowMs: number, carefully: Carefully): ApiObject {
  const shape = newShape(sent, request);
  if (shape === undefined) return carefully(nowMs);
  const made = byForm(shape, request, nowMs, {
    carefully,
    learn: (example) => NewForm.of(sent, example),
    make: (form, timeSeconds) => form.make(sent, timeSeconds),
  });
  if (shape.found !== undefined) rememberState(made, shape.found.state);
  return made;
}

interface StatusChange {
  readonly old: ApiObject;
  readonly next: JsonValue;
  /** Whether all of the object was sent: its sender gives up what was left out, though that stays as it is. */
  readonly isWhole: boolean;
}

/** The same for an object that is there and gets another status, and nothing else. */
export function formedStatus(
  { old, next, isWhole }: StatusChange,
  request: WriteRequest,
  nowMs: number,
  carefully: Carefully,
): ApiObject {
  const state = knownState(old, request.kind.schema);
  if (state === undefined || !isOnlyStatus(old, next)) return carefully(nowMs);
  const shape = statusShape(state, { old, next, isWhole }, request);
  if (shape === undefined) return carefully(nowMs);
  const made = byForm(shape, request, nowMs, {
    carefully,
    learn: (example) => StatusForm.of(old, example, state),
    make: (form, timeSeconds) => form.make(old, next["status"] as JsonValue, timeSeconds),
  });
  if (shape.found !== undefined) rememberState(made, shape.found.state);
  return made;
}

interface Ways<Form> {
  readonly carefully: Carefully;
  /** What a first one tells about others; undefined if that is nothing. */
  readonly learn: (example: ApiObject) => Form | undefined;
  readonly make: (form: Form, timeSeconds: number) => ApiObject;
}

function byForm<Form>(
  shape: Shape<Form>,
  { vouched }: WriteRequest,
  nowMs: number,
  { carefully, learn, make }: Ways<Form>,
): ApiObject {
  const makeAt = (form: Form, atMs: number): ApiObject => make(form, Math.floor(atMs / 1_000));
  if (shape.found !== undefined) {
    const made = makeAt(shape.found, nowMs);
    return vouched === "proved" ? proved(made, carefully(nowMs)) : asFormed(made);
  }
  const example = carefully(nowMs);
  if (shape.tries >= triesMax) return example;
  shape.tries += 1;
  const laterMs = nowMs + 1_000; // within the second of an earlier write nobody sees which times move
  const later = carefully(laterMs);
  const form = learn(later);
  if (form !== undefined && isAlike(makeAt(form, nowMs), example) && isAlike(makeAt(form, laterMs), later)) {
    shape.found = form;
  }
  return example;
}

/** An owner is known by its UID: whether there is one is all that counts. Undefined for what is too odd. */
function newShape(sent: ApiObject, { kind, manager }: WriteRequest): Shape<NewForm> | undefined {
  const { ownerReferences } = sent.metadata;
  if (ownerReferences !== undefined && ownerReferences.length !== 1) return undefined;
  const root = treeOf(kind.schema, manager).root.step(kind.version);
  const from = root.step(ownerReferences === undefined ? "free" : "owned");
  return changeShape(from, mergeTypeOf(kind.schema.schema), { before: nothing, after: sent }, butReferences);
}

const nothing: JsonObject = {};
const butReferences: LeftOut = {
  has: () => false,
  below: (name) => (name === "metadata" ? leavingOutReferences : nothingLeftOut),
};

function treeOf(schema: CompiledSchema, manager: string): ShapeTree<NewForm> {
  const ofSchema = forms.get(schema) ?? new Map<string, ShapeTree<NewForm>>();
  forms.set(schema, ofSchema);
  const known = ofSchema.get(manager) ?? new ShapeTree(shapesMax);
  ofSchema.set(manager, known);
  return known;
}

/** Whether all else stays as it is, of an object that is not about to go. */
function isOnlyStatus(old: ApiObject, next: JsonValue): next is JsonObject {
  if (!isJsonObject(next) || next["status"] === undefined || old.metadata.deletionTimestamp !== undefined) {
    return false;
  }
  const names = Object.keys(next);
  return (
    names.length === Object.keys(old).length + (Object.hasOwn(old, "status") ? 0 : 1) &&
    names.every((name) => name === "status" || jsonEquals(next[name] as JsonValue, old[name] as JsonValue))
  );
}

function statusShape(
  state: FieldState,
  { old, next, isWhole }: StatusChange & { readonly next: JsonObject },
  { kind, manager, subresource }: WriteRequest,
): Shape<StatusForm> | undefined {
  const type = mergeTypeOf(kind.schema.schema);
  const from = state.next.root
    .step(manager)
    .step(kind.version)
    .step(subresource)
    .step(isWhole ? "whole" : "part");
  return changeShape(from, type, { before: statusOf(old), after: statusOf(next) });
}

function statusOf({ status }: JsonObject): JsonObject {
  return status === undefined ? {} : { status };
}

function isAlike(one: ApiObject, other: ApiObject): boolean {
  return writeJson(one) === writeJson(other);
}

/** What was made with care: it goes the long way, on which all the rest is looked at as well. */
function proved(made: ApiObject, carefully: ApiObject): ApiObject {
  if (isAlike(made, carefully)) return carefully;
  throw new Error(`a form makes ${writeJson(made)} of what is ${writeJson(carefully)}`);
}
