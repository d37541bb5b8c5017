import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { type FieldNode, type FieldSet, orderedNodes } from "./field-set.ts";
import { type PathElement, PathElementFault, parsePathElement } from "./path-element.ts";

const self = ".";
const nothing: JsonObject = {};

/** What was written of sets and their parts. Most owners of most objects own what they owned before, or little else. */
const written = new WeakMap<FieldSet | FieldNode, JsonObject>();

/** Writes a set as `metadata.managedFields[].fieldsV1` holds it. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const known = written.get(set);
  if (known !== undefined) return known;
  const fields = writeNodes(set, {});
  written.set(set, fields);
  return fields;
}

function writeNodes(set: FieldSet, fields: Record<string, JsonValue>): JsonObject {
  for (const node of orderedNodes(set)) fields[node.element.text] = writeNode(node);
  return fields;
}

function writeNode(node: FieldNode): JsonObject {
  if (node.below.size === 0) return nothing;
  const known = written.get(node);
  if (known !== undefined) return known;
  const fields = writeNodes(node.below, node.isMember ? { [self]: nothing } : {});
  written.set(node, fields);
  return fields;
}

/** What was read lately, by its text: objects of a kind are mostly owned alike. */
const readBefore = new Map<string, FieldSet>();
const rememberedMax = 1_000;
const rememberedLengthMax = 4_096;

/** The same as `readFieldsV1`, for fields that were most likely read before. */
export function readKnownFieldsV1(fields: JsonValue): FieldSet {
  const text = writeJson(fields);
  const known = readBefore.get(text);
  if (known !== undefined) return known;
  const set = readFieldsV1(fields);
  if (text.length > rememberedLengthMax) return set;
  if (readBefore.size >= rememberedMax) readBefore.clear();
  readBefore.set(text, set);
  return set;
}

/** Reads what a client or the store holds; throws PathElementFault. Elements of unknown kinds are left out. */
export function readFieldsV1(fields: JsonValue, depth = 0): FieldSet {
  if (fields === null) return new Map();
  if (!isJsonObject(fields)) throw new PathElementFault("expect object");
  if (depth > depthMax) throw new PathElementFault("exceeded max depth");
  const set = new Map<string, FieldNode>();
  for (const [text, below] of Object.entries(fields)) {
    const element = text === self ? undefined : parsePathElement(text);
    if (element !== undefined) set.set(element.text, readNode(element, below, depth));
  }
  return set;
}

/** What has nothing below it is a member; what has says so with a dot. */
function readNode(element: PathElement, fields: JsonValue, depth: number): FieldNode {
  const below = readFieldsV1(fields, depth + 1);
  const isMember = below.size === 0 || (isJsonObject(fields) && Object.hasOwn(fields, self));
  return { element, isMember, below };
}
