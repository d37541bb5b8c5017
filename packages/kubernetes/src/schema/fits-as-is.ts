import { isJsonObject, type JsonObject, type JsonValue } from "../protocol/json-value.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import type { Schema } from "./structural-schema.ts";
import { enumIssues, numberIssues, stringIssues, typeOf } from "./value-checks.ts";

/**
 * Whether a value certainly satisfies its schema as it is: nothing wrong with it, nothing to prune, no default missing.
 * Stored objects and what programs send nearly always do. False means that the full walk has to look, which can also say
 * what is wrong. Hot: every object that is read or stored comes by here; checks are compiled once for each schema.
 */
export function fitsAsIs(compiled: CompiledSchema, value: JsonValue): boolean {
  return checkOf(compiled)(value);
}

/** Whether a part of an object fits its schema. */
export type PartFits = (compiled: CompiledSchema, value: JsonValue) => boolean;

/** The same for a whole object: apiVersion, kind and metadata belong there although no schema names them. */
export function objectFitsAsIs(compiled: CompiledSchema, object: JsonObject, partFits: PartFits = fitsAsIs): boolean {
  const { schema } = compiled;
  if (!isPlain(compiled) || schema.type !== "object" || hasFieldCount(schema) || schema.enum !== undefined)
    return false;
  const { named, others, needed } = fieldsOf(compiled);
  for (const name of needed) if (!Object.hasOwn(object, name)) return false;
  for (const name in object) {
    const field = named.get(name);
    const value = object[name] as JsonValue;
    if (name === "apiVersion" || name === "kind" || name === "metadata") {
      if (field?.compiled !== undefined && !headFits(field.compiled, value)) return false;
      continue;
    }
    const { compiled: part, isAnything } = field ?? others;
    if (!isAnything && (part === undefined || !partFits(part, value))) return false;
  }
  return true;
}

type Check = (value: JsonValue) => boolean;

/** A field that an object may have. */
interface Field {
  /** Undefined where the schema says nothing of it. */
  readonly compiled: CompiledSchema | undefined;
  /** Whether it must be there, by itself or by a default. */
  readonly isNeeded: boolean;
  /** Whether any value may stay. */
  readonly isAnything: boolean;
  /** Whether any text, or any integer, of such a length is right: most fields are checked without a call. */
  readonly isAnyText: boolean;
  readonly isAnyInteger: boolean;
  readonly lengthMin: number;
  readonly lengthMax: number;
  /** Compiled when it is needed: a schema may contain itself. */
  check: Check | undefined;
}

interface Fields {
  readonly named: ReadonlyMap<string, Field>;
  /** For all that the schema does not name. */
  readonly others: Field;
  readonly needed: ReadonlySet<string>;
}

/** More items than this are compared with each other by the full walk, which has a table for it. */
const keyedItemsMax = 8;
const nowhere = { fieldText: () => "", pathText: () => "" };
const cannotTell: Check = () => false;

const checks = new WeakMap<CompiledSchema, Check>();
const fields = new WeakMap<CompiledSchema, Fields>();

function checkOf(compiled: CompiledSchema): Check {
  const known = checks.get(compiled);
  if (known !== undefined) return known;
  const check = newCheck(compiled);
  checks.set(compiled, check);
  return check;
}

function newCheck(compiled: CompiledSchema): Check {
  if (!isPlain(compiled)) return cannotTell;
  const check = checkOfType(compiled);
  if (compiled.schema.enum === undefined) return check;
  return (value) => enumIssues(compiled, value, nowhere).length === 0 && check(value);
}

function checkOfType(compiled: CompiledSchema): Check {
  switch (compiled.schema.type) {
    case "string":
      return textCheck(compiled);
    case "integer":
    case "number":
      return numberCheck(compiled);
    case "boolean":
      return (value) => typeof value === "boolean";
    case "object":
      return objectCheck(compiled);
    case "array":
      return listCheck(compiled);
    default:
      return cannotTell;
  }
}

/** Texts so long or so short that their characters have to be counted are for the full check to measure. */
function textCheck(compiled: CompiledSchema): Check {
  const { pattern, format } = compiled;
  const [lengthMin, lengthMax] = quickLengths(compiled.schema);
  return (value) => {
    if (typeof value !== "string") return false;
    if (value.length > lengthMax || value.length < lengthMin)
      return stringIssues(compiled, value, nowhere).length === 0;
    return pattern?.(value) !== false && format?.(value) !== false;
  };
}

/** Characters are counted as code points: never more than the length of a text, and never less than half of it. */
function quickLengths({ minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema): [min: number, max: number] {
  return [2 * minLength, maxLength];
}

function numberCheck(compiled: CompiledSchema): Check {
  const { type, minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = compiled.schema;
  const isOdd = multipleOf !== undefined || exclusiveMinimum === true || exclusiveMaximum === true;
  const least = Math.trunc(minimum ?? Number.NEGATIVE_INFINITY);
  const most = Math.trunc(maximum ?? Number.POSITIVE_INFINITY);
  return (value) => {
    if (!isOdd && Number.isSafeInteger(value)) return (value as number) >= least && (value as number) <= most;
    if (typeof value !== "number" && typeof value !== "bigint") return false;
    if (type === "integer" && typeOf(value) !== "integer") return false;
    return numberIssues(compiled, value, nowhere).length === 0;
  };
}

function objectCheck(compiled: CompiledSchema): Check {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = compiled.schema;
  let known: Fields | undefined;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    known ??= fieldsOf(compiled);
    let count = 0;
    let needed = 0;
    // The quickest way through an object; values that were read from a text have nothing but their own members.
    for (const name in value) {
      const field = known.named.get(name) ?? known.others;
      count += 1;
      if (field.isNeeded) needed += 1;
      if (field.isAnything) continue;
      const member = (value as JsonObject)[name] as JsonValue;
      if (typeof member === "string") {
        if (field.isAnyText && member.length >= field.lengthMin && member.length <= field.lengthMax) continue;
      } else if (field.isAnyInteger && Number.isSafeInteger(member)) continue;
      field.check ??= field.compiled === undefined ? cannotTell : checkOf(field.compiled);
      if (!field.check(member)) return false;
    }
    return needed === known.needed.size && count >= minProperties && count <= maxProperties;
  };
}

function listCheck(compiled: CompiledSchema): Check {
  const { items } = compiled;
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = compiled.schema;
  if (items === undefined) return cannotTell;
  let check: Check | undefined;
  return (value) => {
    if (!Array.isArray(value) || value.length < minItems || value.length > maxItems) return false;
    check ??= checkOf(items);
    for (const item of value as readonly JsonValue[]) if (!check(item)) return false;
    return value.length < 2 || areDistinct(compiled, value);
  };
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

/** Definitions name the fields that every object has, and mostly say no more of metadata than that it is an object. */
function headFits(compiled: CompiledSchema, value: JsonValue): boolean {
  if (typeof value === "string") return checkOf(compiled)(value);
  return isJsonObject(value) && isAnyObject(compiled.schema);
}

const wordsOfAny: ReadonlySet<string> = new Set(["type", "description"]);

/** Whether the schema says no more than that there is an object. */
function isAnyObject(schema: Schema): boolean {
  return schema.type === "object" && Object.keys(schema).every((word) => wordsOfAny.has(word));
}

function hasFieldCount({ minProperties, maxProperties }: Schema): boolean {
  return minProperties !== undefined || maxProperties !== undefined;
}

/** What a schema says in other ways than these takes the full walk. */
function isPlain({ schema, junctors }: CompiledSchema): boolean {
  const isOdd = schema["x-kubernetes-embedded-resource"] === true || schema["x-kubernetes-int-or-string"] === true;
  return junctors === undefined && !isOdd;
}

function fieldsOf(compiled: CompiledSchema): Fields {
  const known = fields.get(compiled);
  if (known !== undefined) return known;
  const { properties, required, defaults, additional, schema } = compiled;
  const needed = new Set([...required, ...defaults]);
  const isKept = additional === true && schema["x-kubernetes-preserve-unknown-fields"] === true;
  const other = additional === true ? undefined : additional;
  const named = new Map<string, Field>();
  for (const name of needed) named.set(name, fieldOf(other, true, isKept));
  for (const [name, property] of properties) named.set(name, fieldOf(property, needed.has(name), false));
  const made = { named, others: fieldOf(other, false, isKept), needed };
  fields.set(compiled, made);
  return made;
}

function fieldOf(compiled: CompiledSchema | undefined, isNeeded: boolean, isAnything: boolean): Field {
  const isFree =
    compiled !== undefined &&
    isPlain(compiled) &&
    compiled.schema.enum === undefined &&
    compiled.pattern === undefined &&
    compiled.format === undefined;
  const { type, minimum, maximum, multipleOf } = compiled?.schema ?? {};
  const isBounded = minimum !== undefined || maximum !== undefined || multipleOf !== undefined;
  const [lengthMin, lengthMax] = quickLengths(compiled?.schema ?? {});
  return {
    compiled,
    isNeeded,
    isAnything,
    isAnyText: isFree && type === "string",
    isAnyInteger: isFree && type === "integer" && !isBounded,
    lengthMin,
    lengthMax,
    check: undefined,
  };
}
