import { isJsonObject, type JsonObject, type JsonValue } from "../protocol/json-value.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import {
  enumIssues,
  itemCountIssues,
  numberIssues,
  propertyCountIssues,
  stringIssues,
  typeOf,
} from "./value-checks.ts";

/** More items than this are compared with each other by somebody who has a table for it. */
const keyedItemsMax = 8;

const nowhere = { fieldText: () => "", pathText: () => "" };

/**
 * Whether a value is at a glance all that its schema asks for: nothing wrong with it, nothing unknown in it, and no
 * default missing. What is stored and what programs send nearly always is, and seeing that makes nothing. What is not
 * obvious takes a closer look, which can also say what is wrong.
 */
export function obviouslyFits(compiled: CompiledSchema, value: JsonValue): boolean {
  const { schema } = compiled;
  if (value === null || schema.type === undefined || compiled.junctors !== undefined) return false;
  if (schema["x-kubernetes-embedded-resource"] === true || schema["x-kubernetes-int-or-string"] === true) return false;
  if (!isOfType(schema.type, value) || enumIssues(compiled, value, nowhere).length > 0) return false;
  if (typeof value === "string") return stringIssues(compiled, value, nowhere).length === 0;
  if (typeof value === "number" || typeof value === "bigint")
    return numberIssues(compiled, value, nowhere).length === 0;
  if (isJsonObject(value)) return membersFit(compiled, value, Object.keys(value));
  return !Array.isArray(value) || itemsFit(compiled, value);
}

/** Whether a part of an object fits its schema. */
export type PartFits = (compiled: CompiledSchema, value: JsonValue) => boolean;

/** The same for a whole object: apiVersion, kind and metadata belong there although no schema names them. */
export function obviouslyFitsObject(
  compiled: CompiledSchema,
  object: JsonObject,
  partFits: PartFits = obviouslyFits,
): boolean {
  const { schema, properties, junctors } = compiled;
  if (schema.type !== "object" || junctors !== undefined || schema["x-kubernetes-embedded-resource"] === true) {
    return false;
  }
  const names: string[] = [];
  for (const name of Object.keys(object)) {
    if (name !== "apiVersion" && name !== "kind" && name !== "metadata") names.push(name);
    else if (!headFits(properties.get(name), object[name] as JsonValue)) return false;
  }
  if (schema.minProperties !== undefined || schema.maxProperties !== undefined) return false;
  return membersFit(compiled, object, names, partFits);
}

/** Definitions name the fields that every object has, and mostly say no more of metadata than that it is an object. */
function headFits(named: CompiledSchema | undefined, value: JsonValue): boolean {
  if (named === undefined) return true;
  if (typeof value === "string") return obviouslyFits(named, value);
  if (!isJsonObject(value) || named.schema.type !== "object") return false;
  return Object.keys(named.schema).every((word) => word === "type" || word === "description");
}

function isOfType(wanted: string, value: JsonValue): boolean {
  const actual = typeOf(value);
  return actual === wanted || (wanted === "number" && actual === "integer");
}

function membersFit(
  compiled: CompiledSchema,
  object: JsonObject,
  names: readonly string[],
  partFits: PartFits = obviouslyFits,
): boolean {
  for (const name of compiled.required) if (!Object.hasOwn(object, name)) return false;
  for (const name of compiled.defaults) if (!Object.hasOwn(object, name)) return false;
  const keepsUnknown = compiled.schema["x-kubernetes-preserve-unknown-fields"] === true;
  for (const name of names) {
    const child = compiled.properties.get(name) ?? compiled.additional;
    if (child === true && keepsUnknown) continue;
    if (child === undefined || child === true || !partFits(child, object[name] as JsonValue)) return false;
  }
  return propertyCountIssues(compiled, names.length, nowhere).length === 0;
}

function itemsFit(compiled: CompiledSchema, list: readonly JsonValue[]): boolean {
  const { items } = compiled;
  if (items === undefined || itemCountIssues(compiled, list.length, nowhere).length > 0) return false;
  for (const item of list) if (!obviouslyFits(items, item)) return false;
  return list.length < 2 || areDistinct(compiled, list);
}

/** Whether a list that must not repeat anything obviously does not. */
function areDistinct({ schema }: CompiledSchema, list: readonly JsonValue[]): boolean {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return true;
  if (listType === "set" || list.length > keyedItemsMax) return false;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return list.every((item, at) => list.slice(at + 1).every((other) => differ(item, other, keys)));
}

function differ(one: JsonValue, other: JsonValue, keys: readonly string[]): boolean {
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  return keys.some((key) => {
    const [left, right] = [one[key], other[key]];
    return typeof left === "string" && typeof right === "string" && left !== right;
  });
}
