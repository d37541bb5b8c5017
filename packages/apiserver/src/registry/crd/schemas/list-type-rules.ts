import {
  type FieldIssue,
  forbidden,
  invalid,
  itemPath,
  notSupported,
  required,
} from "@milo-quota/kubernetes/protocol/field-issue.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "@milo-quota/kubernetes/protocol/json-value.ts";
import { isSet, presentValue, subschema, textOf, textsOf } from "./raw-schema.ts";

const listTypeField = "x-kubernetes-list-type";
const mapTypeField = "x-kubernetes-map-type";
const keysField = "x-kubernetes-list-map-keys";

/** Validates `x-kubernetes-map-type`. */
export function mapRules(schema: JsonObject, path: string): readonly FieldIssue[] {
  const mapType = presentValue(schema, mapTypeField);
  if (mapType === undefined) return [];
  const isKnown = mapType === "atomic" || mapType === "granular";
  return [
    ...typeIssues(schema, path, "object", mapTypeField),
    ...(isKnown ? [] : [notSupported(`${path}.${mapTypeField}`, mapType, ["atomic", "granular"])]),
  ];
}

/** Validates `x-kubernetes-list-type` and its keys. */
export function listRules(schema: JsonObject, path: string): readonly FieldIssue[] {
  const listType = presentValue(schema, listTypeField);
  const isKnown = listType === undefined || ["atomic", "set", "map"].includes(listType as string);
  return [
    ...(listType === undefined ? [] : typeIssues(schema, path, "array", listTypeField)),
    ...(listType === "set" && textOf(schema, "type") === "array" ? setIssues(schema, path) : []),
    ...(isKnown ? [] : [notSupported(`${path}.${listTypeField}`, listType, ["atomic", "set", "map"])]),
    ...keysIssues(schema, path, listType),
    ...(listType === "map" ? mapIssues(schema, path) : []),
    ...(listType === "map" || listType === "set" ? itemIssues(schema, path, listType) : []),
  ];
}

function typeIssues(schema: JsonObject, path: string, wanted: string, because: string): readonly FieldIssue[] {
  const type = textOf(schema, "type");
  if (type === wanted) return [];
  const fault = `must be ${wanted} if ${because} is specified`;
  return [type === "" ? required(`${path}.type`, fault) : invalid(`${path}.type`, type, fault)];
}

/** Set items must be atomic. */
function setIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  const items = subschema(schema, "items");
  if (items === undefined) return [];
  const fault = `must be atomic as item of a list with ${listTypeField}=set`;
  const listType = presentValue(items, listTypeField);
  switch (textOf(items, "type")) {
    case "array":
      if (listType === undefined || listType === "atomic") return [];
      return [invalid(`${path}.items.${listTypeField}`, listType, fault)];
    case "object":
      if (presentValue(items, mapTypeField) === "atomic") return [];
      return [invalid(`${path}.items.${mapTypeField}`, listType ?? null, fault)];
    default:
      return [];
  }
}

function keysIssues(schema: JsonObject, path: string, listType: JsonValue | undefined): readonly FieldIssue[] {
  if (textsOf(schema, keysField).length === 0 || listType === "map") return [];
  const at = `${path}.${listTypeField}`;
  const fault = `must be map if ${keysField} is non-empty`;
  return [listType === undefined ? required(at, fault) : invalid(at, listType, fault)];
}

function mapIssues(schema: JsonObject, path: string): readonly FieldIssue[] {
  const items = presentValue(schema, "items");
  const keys = textsOf(schema, keysField);
  const noKeys = `must not be empty if ${listTypeField} is map`;
  return [
    ...(keys.length === 0 ? [required(`${path}.${keysField}`, noKeys)] : []),
    ...(items === undefined ? [required(`${path}.items`, `must have a schema if ${listTypeField} is map`)] : []),
    ...(Array.isArray(items)
      ? [invalid(`${path}.items`, items, `must only have a single schema if ${listTypeField} is map`)]
      : []),
    ...(isJsonObject(items) ? mapItemIssues(items, keys, path) : []),
  ];
}

function mapItemIssues(items: JsonObject, keys: readonly string[], path: string): readonly FieldIssue[] {
  const type = textOf(items, "type");
  if (type !== "object") {
    return [invalid(`${path}.items.type`, type, `must be object if parent array's ${listTypeField} is map`)];
  }
  const at = `${path}.${keysField}`;
  return keys.flatMap((key, index) => {
    const property = subschema(subschema(items, "properties") ?? {}, key);
    const isScalar = property === undefined || !["array", "object"].includes(textOf(property, "type"));
    const scalar = `must be a scalar type if parent array's ${listTypeField} is map`;
    return [
      ...(isScalar ? [] : [invalid(`${itemPath(`${path}.items.properties`, key)}.type`, type, scalar)]),
      ...(property === undefined ? [invalid(at, keys, "entries must all be names of item properties")] : []),
      ...(keys.indexOf(key) < index ? [invalid(at, keys, "must not contain duplicate entries")] : []),
    ];
  });
}

/** All items must have their keys, none of them nullable. */
function itemIssues(schema: JsonObject, path: string, listType: string): readonly FieldIssue[] {
  const items = subschema(schema, "items");
  if (items === undefined) return [];
  const nullable = isSet(items, "nullable")
    ? [forbidden(`${path}.items.nullable`, `cannot be nullable when ${listTypeField} is ${listType}`)]
    : [];
  return listType === "map" ? [...nullable, ...keyIssues(schema, items, path)] : nullable;
}

function keyIssues(schema: JsonObject, items: JsonObject, path: string): readonly FieldIssue[] {
  const needed = new Set(textsOf(items, "required"));
  return textsOf(schema, keysField).flatMap((key) => {
    const property = subschema(subschema(items, "properties") ?? {}, key);
    if (property === undefined) return [];
    const at = itemPath(`${path}.items.properties`, key);
    const because = `this property is in ${keysField}, so it`;
    const hasValue = needed.has(key) || (ownValue(property, "default") ?? null) !== null;
    return [
      ...(hasValue ? [] : [required(`${at}.default`, `${because} must have a default or be a required property`)]),
      ...(isSet(property, "nullable") ? [forbidden(`${at}.nullable`, `${because} cannot be nullable`)] : []),
    ];
  });
}
