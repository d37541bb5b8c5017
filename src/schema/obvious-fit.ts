import { isJsonObject, type JsonObject, type JsonValue } from "../protocol/json-value.ts";
import type { CompiledSchema } from "./compiled-schema.ts";
import { type Glance, type GlancedField, glanceOf } from "./glance.ts";
import { typeOf } from "./value-checks.ts";

/** More items than this are compared with each other by somebody who has a table for it. */
const keyedItemsMax = 8;

/**
 * Whether a value is at a glance all that its schema asks for: nothing wrong with it, nothing unknown in it, and no
 * default missing. What is stored and what programs send nearly always is, and seeing that makes nothing. What is not
 * obvious takes a closer look, which can also say what is wrong.
 */
export function obviouslyFits(compiled: CompiledSchema, value: JsonValue): boolean {
  return fits(glanceOf(compiled), value);
}

/** Whether a part of an object fits its schema. */
export type PartFits = (compiled: CompiledSchema, value: JsonValue) => boolean;

function fits(glance: Glance, value: JsonValue): boolean {
  const { type } = glance;
  if (type === undefined || value === null || !glance.isChoice(value)) return false;
  switch (typeof value) {
    case "string":
      return type === "string" && glance.isText(value);
    case "boolean":
      return type === "boolean";
    case "object":
      return isJsonObject(value)
        ? type === "object" && membersFit(glance, value)
        : type === "array" && itemsFit(glance, value as readonly JsonValue[]);
    case "number":
    case "bigint":
      return isNumberOf(type, value) && glance.isNumber(value);
    default:
      return false;
  }
}

function isNumberOf(type: string, value: number | bigint): boolean {
  return type === "number" || (type === "integer" && typeOf(value) === "integer");
}

function membersFit(glance: Glance, object: JsonObject): boolean {
  let count = 0;
  let needed = 0;
  // The quickest way through an object; values that were read from a text have nothing but their own members.
  // Hot: most values are texts and numbers that nothing more is asked of, and take no call.
  for (const name in object) {
    const field = glance.fields.get(name) ?? glance.field(name);
    count += 1;
    if (field.isNeeded) needed += 1;
    if (field.glance === true) continue;
    if (field.glance === undefined) return false;
    const value = object[name] as JsonValue;
    const { type, isAny, lengthMin, lengthMax } = field.glance;
    if (isAny && type === "string" && typeof value === "string") {
      if (value.length >= lengthMin && value.length <= lengthMax) continue;
    } else if (isAny && type === "integer" && Number.isSafeInteger(value)) continue;
    if (!fits(field.glance, value)) return false;
  }
  return needed === glance.needed.size && glance.isFieldCount(count);
}

/** The same for a whole object: apiVersion, kind and metadata belong there although no schema names them. */
export function obviouslyFitsObject(
  compiled: CompiledSchema,
  object: JsonObject,
  partFits: PartFits = obviouslyFits,
): boolean {
  const glance = glanceOf(compiled);
  if (glance.type !== "object" || glance.hasChoices || glance.hasFieldCount) return false;
  for (const name of glance.needed) if (!Object.hasOwn(object, name)) return false;
  for (const name in object) {
    const field = glance.field(name);
    const value = object[name] as JsonValue;
    const isHead = name === "apiVersion" || name === "kind" || name === "metadata";
    if (isHead ? !headFits(field, value) : !partFitsField(field, value, partFits)) return false;
  }
  return true;
}

function partFitsField({ glance }: GlancedField, value: JsonValue, partFits: PartFits): boolean {
  return glance === true || (glance !== undefined && partFits(glance.compiled, value));
}

/** Definitions name the fields that every object has, and mostly say no more of metadata than that it is an object. */
function headFits({ glance, isNamed }: GlancedField, value: JsonValue): boolean {
  if (!isNamed || typeof glance !== "object") return true;
  return typeof value === "string" ? fits(glance, value) : isJsonObject(value) && glance.isAnyObject;
}

function itemsFit(glance: Glance, list: readonly JsonValue[]): boolean {
  const { items } = glance;
  if (items === undefined || !glance.isItemCount(list.length)) return false;
  for (const item of list) if (!fits(items, item)) return false;
  return list.length < 2 || areDistinct(glance.compiled, list);
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
