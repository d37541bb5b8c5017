import { depthMax, isJsonObject, type JsonObject, type JsonValue } from "../../../../protocol/json-value.ts";
import { type FieldNode, type FieldSet, orderedNodes } from "./field-set.ts";
import { type PathElement, PathElementFault, parsePathElement } from "./path-element.ts";

const self = ".";
const nothing: JsonObject = {};

/** Writes a set as `metadata.managedFields[].fieldsV1` holds it. */
export function writeFieldsV1(set: FieldSet): JsonObject {
  const fields: Record<string, JsonValue> = {};
  for (const { element, isMember, below } of orderedNodes(set)) {
    fields[element.text] =
      below.size === 0 ? nothing : { ...(isMember ? { [self]: {} } : {}), ...writeFieldsV1(below) };
  }
  return fields;
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
