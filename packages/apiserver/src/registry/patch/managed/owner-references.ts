import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { type ExcludedFields, nothingExcluded } from "../fields/change-shape.ts";
import type { Comparison } from "../fields/compare-objects.ts";
import { type FieldNode, type FieldSet, noFields } from "../fields/field-set.ts";
import { fieldElement, type PathElement, uidElement } from "../fields/path-element.ts";
import { metadataOf, withMetadataField } from "./field-scope.ts";

export interface ObjectChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

const name = "ownerReferences";

export const referencesExcluded: ExcludedFields = { has: (member) => member === name, below: () => nothingExcluded };

/** The same change without owner references. */
export function withoutReferences({ before, after }: ObjectChange): ObjectChange {
  return { before: withoutReferencesIn(before), after: withoutReferencesIn(after) };
}

function withoutReferencesIn(object: JsonObject): JsonObject {
  return Object.hasOwn(metadataOf(object), name) ? withMetadataField(object, name, undefined) : object;
}

/** The owner references only; undefined when they did not change. */
export function referencesOf({ before, after }: ObjectChange): ObjectChange | undefined {
  const left = ownValue(metadataOf(before), name);
  const right = ownValue(metadataOf(after), name);
  return left === right ? undefined : { before: onlyReferences(before, left), after: onlyReferences(after, right) };
}

/** Keeps the metadata object, with or without references. */
function onlyReferences(object: JsonObject, value: JsonValue | undefined): JsonObject {
  if (!Object.hasOwn(object, "metadata")) return {};
  return { metadata: value === undefined ? {} : { [name]: value } };
}

/** The comparison of a change that adds the first owner, which is the most common one. Undefined for all others. */
export function firstReference({ before, after }: ObjectChange): Comparison | undefined {
  const metadata = metadataOf(after);
  const list = ownValue(metadata, name);
  if (Object.hasOwn(metadataOf(before), name) || !Array.isArray(list) || list.length !== 1) return undefined;
  const [only] = list as readonly JsonValue[];
  const uid = isJsonObject(only) ? ownValue(only, "uid") : undefined;
  if (typeof uid !== "string") return undefined;
  const reference = setOfOne(uidElement(uid), true, noFields);
  const references = setOfOne(fieldElement(name), true, reference);
  const isNew = !Object.hasOwn(before, "metadata");
  return { added: setOfOne(fieldElement("metadata"), isNew, references), modified: noFields, removed: noFields };
}

function setOfOne(element: PathElement, isMember: boolean, below: FieldSet): FieldSet {
  return new Map<string, FieldNode>([[element.text, { element, isMember, below }]]);
}
