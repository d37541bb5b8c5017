import { type FieldIssue, invalid, notSupported, tooLong, tooMany, typeInvalid } from "../protocol/field-issue.ts";
import { quote } from "../protocol/go-quote.ts";
import { isJsonObject, type JsonValue, jsonEquals } from "../protocol/json-value.ts";
import { identityText, writeJson } from "../protocol/json-writer.ts";
import type { CompiledSchema } from "./compiled-schema.ts";

const none: readonly FieldIssue[] = [];
const int64Max = 2n ** 63n - 1n;

/** Where a check stands. The text is made only for an issue: nearly all checks find none. */
export interface Place {
  pathText(): string;
}

/**
 * What JSON Schema calls the type of a value. A number that was rounded, or that no int64 holds, is no integer, even if
 * nothing follows its point.
 */
export function typeOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "object") return "object";
  if (typeof value === "bigint") return value >= -int64Max - 1n && value <= int64Max ? "integer" : "number";
  return typeof value === "number" ? (Number.isSafeInteger(value) ? "integer" : "number") : typeof value;
}

export function typeIssue({ schema }: CompiledSchema, value: JsonValue, place: Place): FieldIssue | undefined {
  const actual = typeOf(value);
  const wanted = schema["x-kubernetes-int-or-string"] === true ? ["integer", "string"] : schema.type;
  const isWanted =
    wanted === undefined ||
    actual === wanted ||
    (wanted === "number" && actual === "integer") ||
    (Array.isArray(wanted) && wanted.includes(actual));
  if (isWanted) return undefined;
  const path = place.pathText();
  return typeInvalid(path, actual, `${path} in body must be of type ${String(wanted)}: "${actual}"`);
}

export function enumIssues({ schema }: CompiledSchema, value: JsonValue, place: Place): readonly FieldIssue[] {
  if (schema.enum === undefined || schema.enum.some((choice) => jsonEquals(choice, value))) return none;
  const choices = schema.enum.map((choice) => (typeof choice === "string" ? choice : writeJson(choice)));
  return [notSupported(place.pathText(), value, choices)];
}

/** Length and pattern are told one at a time, the first that is wrong, as Kubernetes does; a format beside them. */
export function stringIssues(compiled: CompiledSchema, value: string, place: Place): readonly FieldIssue[] {
  const shape = shapeIssue(compiled, value, place);
  const isMalformed = compiled.format?.(value) === false;
  if (shape === undefined && !isMalformed) return none;
  const issues = shape === undefined ? [] : [shape];
  if (isMalformed) {
    const path = place.pathText();
    const detail = `${path} in body must be of type ${compiled.schema.format}: ${quote(value)}`;
    issues.push(typeInvalid(path, value, detail));
  }
  return issues;
}

function shapeIssue({ schema, pattern }: CompiledSchema, value: string, place: Place): FieldIssue | undefined {
  const { maxLength, minLength } = schema;
  if (maxLength !== undefined && codePoints(value) > maxLength) return tooLong(place.pathText(), maxLength);
  if (minLength !== undefined && codePoints(value) < minLength) {
    return invalid(place.pathText(), value, `${place.pathText()} in body should be at least ${minLength} chars long`);
  }
  if (pattern?.(value) !== false) return undefined;
  return invalid(place.pathText(), value, `${place.pathText()} in body should match '${schema.pattern}'`);
}

export function numberIssues({ schema }: CompiledSchema, value: number | bigint, place: Place): readonly FieldIssue[] {
  const { minimum, maximum, multipleOf, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const faults: string[] = [];
  if (maximum !== undefined && (value > maximum || (exclusiveMaximum && Number(value) === maximum))) {
    faults.push(`should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  }
  if (minimum !== undefined && (value < minimum || (exclusiveMinimum && Number(value) === minimum))) {
    faults.push(`should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) faults.push(`should be a multiple of ${multipleOf}`);
  if (faults.length === 0) return none;
  const path = place.pathText();
  return faults.map((fault) => invalid(path, value, `${path} in body ${fault}`));
}

export function itemCountIssues({ schema }: CompiledSchema, count: number, place: Place): readonly FieldIssue[] {
  return countIssues({ min: schema.minItems, max: schema.maxItems, what: "items" }, count, place);
}

export function propertyCountIssues({ schema }: CompiledSchema, count: number, place: Place): readonly FieldIssue[] {
  return countIssues({ min: schema.minProperties, max: schema.maxProperties, what: "properties" }, count, place);
}

interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly what: string;
}

function countIssues({ min, max, what }: Bounds, count: number, place: Place): readonly FieldIssue[] {
  if (min !== undefined && count < min) {
    const path = place.pathText();
    return [invalid(path, count, `${path} in body should have at least ${min} ${what}`)];
  }
  return max !== undefined && count > max ? [tooMany(place.pathText(), count, max)] : none;
}

/** Where a list first repeats each thing it repeats, by its own idea of sameness, and what that is. */
export function repeatedItems(
  { schema }: CompiledSchema,
  items: readonly JsonValue[],
): [index: number, value: JsonValue][] {
  const listType = schema["x-kubernetes-list-type"];
  if (items.length < 2 || (listType !== "set" && listType !== "map")) return [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const counts = new Map<string, number>();
  const repeated: [number, JsonValue][] = [];
  for (const [index, item] of items.entries()) {
    const identity = listType === "set" || !isJsonObject(item) ? item : pick(item, keys);
    const text = identityText(identity);
    const count = counts.get(text) ?? 0;
    if (count === 1) repeated.push([index, identity]);
    counts.set(text, count + 1);
  }
  return repeated;
}

function pick(item: Readonly<Record<string, JsonValue>>, keys: readonly string[]): JsonValue {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key] as JsonValue]));
}

function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === "bigint") return Number.isInteger(factor) && value % BigInt(factor) === 0n;
  return Number.isInteger(factor < 1 ? value * (1 / factor) : value / factor);
}

/** Kubernetes counts code points, JavaScript pairs of bytes; they differ only where surrogates are. */
function codePoints(text: string): number {
  return /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;
}
