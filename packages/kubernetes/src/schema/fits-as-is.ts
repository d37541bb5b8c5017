import { isJsonObject, type JsonObject, type JsonValue } from "../protocol/json-value.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import type { Schema } from "./structural-schema.ts";
import { enumIssues, numberIssues, stringIssues, typeOf } from "./value-checks.ts";

/**
 * Fast check that a value is valid by its schema, with nothing to prune or default, as is true for nearly all objects.
 * False means that the full walk is needed, which can also report issues. Hot: every object that is read or stored
 * comes here; checks are compiled once per schema.
 */
export function fitsAsIs(compiled: CompiledSchema, value: JsonValue): boolean {
  return checkOf(compiled)(value);
}

export type PartFits = (compiled: CompiledSchema, value: JsonValue) => boolean;

/** The same for a whole object, whose apiVersion, kind and metadata need not be declared. */
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

/** A possible field of an object. */
interface Field {
  /** Undefined where it has no schema. */
  readonly compiled: CompiledSchema | undefined;
  /** Whether it must be present, because it is required or has a default. */
  readonly isNeeded: boolean;
  /** Whether any value is valid. */
  readonly isAnything: boolean;
  /** Whether any string, or any integer, within the length limits is valid: most fields are checked without a call. */
  readonly isAnyText: boolean;
  readonly isAnyInteger: boolean;
  readonly lengthMin: number;
  readonly lengthMax: number;
  /** Compiled on demand: a schema may be recursive. */
  check: Check | undefined;
}

interface Fields {
  readonly named: ReadonlyMap<string, Field>;
  /** For undeclared fields. */
  readonly others: Field;
  readonly needed: ReadonlySet<string>;
}

/** Longer lists are left to the full walk, which uses a table. */
const keyedItemsMax = 8;
const noLocation = { fieldText: () => "", pathText: () => "" };
const cannotTell: Check = () => false;

const checks = new WeakMap<CompiledSchema, Check>();
const fields = new WeakMap<CompiledSchema, Fields>();

function checkOf(compiled: CompiledSchema): Check {
  const cached = checks.get(compiled);
  if (cached !== undefined) return cached;
  const check = newCheck(compiled);
  checks.set(compiled, check);
  return check;
}

function newCheck(compiled: CompiledSchema): Check {
  if (!isPlain(compiled)) return cannotTell;
  const check = checkOfType(compiled);
  if (compiled.schema.enum === undefined) return check;
  return (value) => enumIssues(compiled, value, noLocation).length === 0 && check(value);
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

/** Where the number of code points matters, the full check measures it. */
function textCheck(compiled: CompiledSchema): Check {
  const { pattern, format } = compiled;
  const [lengthMin, lengthMax] = quickLengths(compiled.schema);
  return (value) => {
    if (typeof value !== "string") return false;
    if (value.length > lengthMax || value.length < lengthMin)
      return stringIssues(compiled, value, noLocation).length === 0;
    return pattern?.(value) !== false && format?.(value) !== false;
  };
}

/** Lengths count code points: at most the length of the string, and at least half of it. */
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
    return numberIssues(compiled, value, noLocation).length === 0;
  };
}

function objectCheck(compiled: CompiledSchema): Check {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = compiled.schema;
  let cached: Fields | undefined;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    cached ??= fieldsOf(compiled);
    let count = 0;
    let needed = 0;
    // The fastest iteration; parsed values have only own members.
    for (const name in value) {
      const field = cached.named.get(name) ?? cached.others;
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
    return needed === cached.needed.size && count >= minProperties && count <= maxProperties;
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

/** Fast check that a set or map list has no duplicates. */
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

/** Definitions may declare the common fields, mostly with no more than `type: object` for metadata. */
function headFits(compiled: CompiledSchema, value: JsonValue): boolean {
  if (typeof value === "string") return checkOf(compiled)(value);
  return isJsonObject(value) && isAnyObject(compiled.schema);
}

const wordsOfAny: ReadonlySet<string> = new Set(["type", "description"]);

/** Whether the schema only says `type: object`. */
function isAnyObject(schema: Schema): boolean {
  return schema.type === "object" && Object.keys(schema).every((word) => wordsOfAny.has(word));
}

function hasFieldCount({ minProperties, maxProperties }: Schema): boolean {
  return minProperties !== undefined || maxProperties !== undefined;
}

/** Schemas with other keywords need the full walk. */
function isPlain({ schema, junctors }: CompiledSchema): boolean {
  const isOdd = schema["x-kubernetes-embedded-resource"] === true || schema["x-kubernetes-int-or-string"] === true;
  return junctors === undefined && !isOdd;
}

function fieldsOf(compiled: CompiledSchema): Fields {
  const cached = fields.get(compiled);
  if (cached !== undefined) return cached;
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
