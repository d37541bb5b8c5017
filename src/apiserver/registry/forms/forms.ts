import { isJsonObject, type JsonObject, type JsonValue, jsonEquals } from "../../../protocol/json-value.ts";
import { writeJson } from "../../../protocol/json-writer.ts";
import type { CompiledSchema } from "../../../schema/compiled-schema.ts";
import type { WriteRequest } from "../object-request.ts";
import { changeShape, type LeftOut, nothingLeftOut } from "../patch/fields/change-shape.ts";
import { mergeTypeOf } from "../patch/fields/merge-type.ts";
import { type Shape, ShapeTree } from "../patch/fields/shape-tree.ts";
import { leavingOutReferences } from "../patch/managed/owner-references.ts";
import type { ApiObject } from "../served-kind.ts";
import { asFormed } from "./formed.ts";
import { NewForm, type Origin, originOf } from "./new-form.ts";
import { StatusForm } from "./status-form.ts";

/** Makes the object that goes on its way, with all the care that strangers are met with. */
type Carefully = () => ApiObject;

const shapesMax = 20_000;

/** Forms of new objects, by schema and by who writes them. */
const forms = new WeakMap<CompiledSchema, Map<string, ShapeTree<NewForm | "odd">>>();

/**
 * A new object that a part of this program answers for, with its defaults and managed fields. Such objects come in the same
 * form again and again. The first of a form is met like a stranger, and tells what the others come to; `carefully` is how.
 */
export function formedNew(sent: ApiObject, request: WriteRequest, nowMs: number, carefully: Carefully): ApiObject {
  const shape = newShape(sent, request);
  if (shape === undefined || shape.found === "odd") return carefully();
  const timeSeconds = Math.floor(nowMs / 1_000);
  if (shape.found === undefined) {
    const made = carefully();
    const form = NewForm.of(sent, made);
    shape.found = form !== undefined && isAlike(form.make(sent, timeSeconds), made) ? form : "odd";
    return made;
  }
  const made = shape.found.make(sent, timeSeconds);
  if (request.vouched === "proved") prove(made, carefully());
  return asFormed(made);
}

/** The same for an object that was made by a form and gets another status, and nothing else. */
export function formedStatus(
  { old, patched }: { readonly old: ApiObject; readonly patched: JsonValue },
  request: WriteRequest,
  nowMs: number,
  carefully: Carefully,
): ApiObject {
  const timeSeconds = Math.floor(nowMs / 1_000);
  const origin = originOf(old.metadata);
  if (origin === undefined || origin.timeSeconds > timeSeconds || !isOnlyStatus(old, patched)) return carefully();
  const status = patched["status"] as JsonValue;
  const shape = statusShape(origin, old, patched, request);
  if (shape === undefined || shape.found === "odd") return carefully();
  if (shape.found === undefined) {
    const made = carefully();
    const form = StatusForm.of(old, made);
    shape.found = form !== undefined && isAlike(form.make(old, status, timeSeconds), made) ? form : "odd";
    return made;
  }
  const made = shape.found.make(old, status, timeSeconds);
  if (request.vouched === "proved") prove(made, carefully());
  return asFormed(made);
}

/** Owners are known by their UIDs, so that only their number counts. Undefined for what is too odd. */
function newShape(sent: ApiObject, { kind, manager }: WriteRequest): Shape<NewForm | "odd"> | undefined {
  const owners = sent.metadata.ownerReferences?.length ?? 0;
  if (owners > 1) return undefined;
  const from = treeOf(kind.schema, manager).root.step(owners === 0 ? "free" : "owned");
  return changeShape(from, mergeTypeOf(kind.schema.schema), { before: nothing, after: sent }, butReferences);
}

const nothing: JsonObject = {};
const butReferences: LeftOut = {
  has: () => false,
  below: (name) => (name === "metadata" ? leavingOutReferences : nothingLeftOut),
};

function treeOf(schema: CompiledSchema, manager: string): ShapeTree<NewForm | "odd"> {
  const ofSchema = forms.get(schema) ?? new Map<string, ShapeTree<NewForm | "odd">>();
  forms.set(schema, ofSchema);
  const known = ofSchema.get(manager) ?? new ShapeTree(shapesMax);
  ofSchema.set(manager, known);
  return known;
}

/** Whether a patch leaves all else as it is, of an object that is not about to go. */
function isOnlyStatus(old: ApiObject, patched: JsonValue): patched is JsonObject {
  if (!isJsonObject(patched) || patched["status"] === undefined || old.metadata.deletionTimestamp !== undefined) {
    return false;
  }
  const names = Object.keys(patched);
  return (
    names.length === Object.keys(old).length &&
    names.every((name) => name === "status" || jsonEquals(patched[name] as JsonValue, old[name] as JsonValue))
  );
}

function statusShape(
  { form }: Origin,
  old: ApiObject,
  patched: JsonObject,
  { kind, manager, subresource }: WriteRequest,
): Shape<StatusForm | "odd"> | undefined {
  const type = mergeTypeOf(kind.schema.schema);
  const from = form.statuses.root.step(manager).step(subresource);
  return changeShape(from, type, { before: statusOf(old), after: statusOf(patched) });
}

function statusOf({ status }: JsonObject): JsonObject {
  return status === undefined ? {} : { status };
}

function isAlike(one: ApiObject, other: ApiObject): boolean {
  return writeJson(one) === writeJson(other);
}

function prove(made: ApiObject, expected: ApiObject): void {
  if (isAlike(made, expected)) return;
  throw new Error(`a form makes ${writeJson(made)} of what is ${writeJson(expected)}`);
}
