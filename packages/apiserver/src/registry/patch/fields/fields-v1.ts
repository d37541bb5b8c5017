import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { writeJson } from "@milo-quota/kubernetes/protocol/json-writer.ts";
import { type FieldNode, type FieldSet, orderedNodes } from "./field-set.ts";
import { type PathElement, PathElementError, parsePathElement } from "./path-element.ts";

const self = ".";
const nothing: JsonObject = {};

/** Serialized sets and nodes. Most owners of most objects keep their field sets. */
const written = new WeakMap<FieldSet | FieldNode, JsonObject>();

/** Serializes a set for `metadata.managedFields[].fieldsV1`. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const cached = written.get(set);
  if (cached !== undefined) return cached;
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
  const cached = written.get(node);
  if (cached !== undefined) return cached;
  const fields = writeNodes(node.below, node.isMember ? { [self]: nothing } : {});
  written.set(node, fields);
  return fields;
}

/** Recently parsed sets, by text: objects of a kind mostly have the same owners. */
const readCache = new Map<string, FieldSet>();
const cacheSizeMax = 1_000;
const cachedLengthMax = 4_096;

/** `readFieldsV1` with a cache. */
export function readCachedFieldsV1(fields: JsonValue): FieldSet {
  const text = writeJson(fields);
  const cached = readCache.get(text);
  if (cached !== undefined) return cached;
  const set = readFieldsV1(fields);
  if (text.length > cachedLengthMax) return set;
  if (readCache.size >= cacheSizeMax) readCache.clear();
  readCache.set(text, set);
  return set;
}

/** Parses FieldsV1; throws PathElementError. Elements of unknown kinds are skipped. */
export function readFieldsV1(fields: JsonValue, depth = 0): FieldSet {
  if (fields === null) return new Map();
  if (!isJsonObject(fields)) throw new PathElementError("expect object");
  if (depth > depthMax) throw new PathElementError("exceeded max depth");
  const set = new Map<string, FieldNode>();
  for (const [text, below] of Object.entries(fields)) {
    const element = text === self ? undefined : parsePathElement(text);
    if (element !== undefined) set.set(element.text, readNode(element, below, depth));
  }
  return set;
}

/** A node without children is a member; one with children is if it has a dot. */
function readNode(element: PathElement, fields: JsonValue, depth: number): FieldNode {
  const below = readFieldsV1(fields, depth + 1);
  const isMember = below.size === 0 || (isJsonObject(fields) && Object.hasOwn(fields, self));
  return { element, isMember, below };
}
